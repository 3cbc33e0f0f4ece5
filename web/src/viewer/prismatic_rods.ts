// Prismatic joints: a box that slides and two rods whose lengths follow q.

import { BoxGeometry, CylinderGeometry, Group, Mesh, type Material } from "three";
import type { RobotDocument, Seat } from "../document/model_document";
import { sizes } from "./body_shapes";
import { matrixOf } from "./solids";

export class PrismaticRods {
  private readonly rods: { seat: Seat; inner: Mesh; outer: Mesh; box: Mesh }[] = [];

  constructor(
    private readonly robot: RobotDocument,
    group: (body: number) => Group,
    bar: Material,
    moving: Material,
  ) {
    const { bar: radius, hub } = sizes(robot);
    const unit = (r: number) => new CylinderGeometry(r, r, 1, 20).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const [inner, outer, box] = [unit(radius), unit(0.6 * radius), new BoxGeometry(1.8 * hub, 1.8 * hub, 3.4 * hub)];
    for (const seat of robot.seats.filter((own) => own.shape === "box")) {
      const frame = new Group();
      frame.matrixAutoUpdate = false;
      matrixOf(seat.pose, 0, frame.matrix);
      const rod = { seat, inner: new Mesh(inner, bar), outer: new Mesh(outer, moving), box: new Mesh(box, moving) };
      frame.add(rod.inner, rod.outer, rod.box);
      group(seat.parent).add(frame);
      this.rods.push(rod);
    }
  }

  /** Draw a joint's box away from its origin, where another joint may be. */
  update(q: ArrayLike<number>): void {
    const far = 8 * sizes(this.robot).hub;
    for (const { seat, inner, outer, box } of this.rods) {
      const travel = q[seat.q]!;
      const middle = Math.abs(travel) > far ? 0.4 * travel : 0;
      inner.scale.z = middle || 1e-9;
      box.position.z = middle;
      outer.position.z = middle;
      outer.scale.z = travel - middle || 1e-9;
    }
  }
}
