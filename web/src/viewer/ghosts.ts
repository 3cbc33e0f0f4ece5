// Ghosts: the robot at other configurations (branches of inverse kinematics, assembly modes), transparent.

import { Group, Mesh, MeshLambertMaterial, type BufferGeometry } from "three";
import type { RobotState } from "../mechanics/robot_state";
import { BRANCHES } from "./palette";
import { matrixOf } from "./solids";

export class Ghosts {
  readonly group = new Group();
  private readonly materials = BRANCHES.map(
    (color) => new MeshLambertMaterial({ color, transparent: true, opacity: 0.3, depthWrite: false }),
  );

  constructor(
    private readonly state: RobotState,
    private readonly shapes: Map<number, BufferGeometry>,
  ) {}

  /** Show the robot at these configurations, each in a colour of its own; none removes the ghosts. */
  set(configurations: readonly ArrayLike<number>[]): void {
    this.group.clear();
    configurations.forEach((q, k) => {
      const poses = this.state.posesAt(q);
      const material = this.materials[k % this.materials.length]!;
      for (const [body, shape] of this.shapes) {
        if (body < 0) continue;
        const mesh = new Mesh(shape, material);
        mesh.matrixAutoUpdate = false;
        matrixOf(poses, 12 * body, mesh.matrix);
        this.group.add(mesh);
      }
    });
  }
}
