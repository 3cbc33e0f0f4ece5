// Ghosts: the robot at other configurations (branches of inverse kinematics, assembly modes), transparent.

import { Group, Mesh, MeshLambertMaterial, type BufferGeometry } from "three";
import type { RobotState } from "../mechanics/robot_state";
import { matrixOf } from "./solids";

export class Ghosts {
  readonly group = new Group();
  private readonly material = new MeshLambertMaterial({
    color: 0x6f8fb8,
    transparent: true,
    opacity: 0.28,
    depthWrite: false,
  });

  constructor(
    private readonly state: RobotState,
    private readonly shapes: Map<number, BufferGeometry>,
  ) {}

  /** Show the robot at these configurations; none removes the ghosts. */
  set(configurations: readonly ArrayLike<number>[]): void {
    this.group.clear();
    for (const q of configurations) {
      const poses = this.state.posesAt(q);
      for (const [body, shape] of this.shapes) {
        if (body < 0) continue;
        const mesh = new Mesh(shape, this.material);
        mesh.matrixAutoUpdate = false;
        matrixOf(poses, 12 * body, mesh.matrix);
        this.group.add(mesh);
      }
    }
  }
}
