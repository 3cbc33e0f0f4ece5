// Shapes of a robot's bodies: bars, joints, cut joints and visuals, one merged geometry for each body.

import { BoxGeometry, BufferAttribute, BufferGeometry, CylinderGeometry, Matrix4, SphereGeometry, Vector3 } from "three";
import type { RobotDocument, Seat, Visual } from "../document/model_document";
import { decoded } from "../laws/law_module";
import { BAR, CLOSURE, JOINTS } from "./palette";
import { Solids, matrixOf } from "./solids";

export interface Sizes {
  bar: number;
  hub: number;
}

export const sizes = (robot: RobotDocument): Sizes => ({ bar: 0.0115 * robot.size, hub: 0.021 * robot.size });

const ONE_FREEDOM = new Set(["revolute", "prismatic", "helical"]);
const vector = (p: readonly number[]) => new Vector3(p[0], p[1], p[2]);

/** Geometries by body; -1 is the world. */
export function bodyShapes(robot: RobotDocument): Map<number, BufferGeometry> {
  const { bar, hub } = sizes(robot);
  const solids = new Map<number, Solids>();
  const of = (body: number): Solids => {
    if (!solids.has(body)) solids.set(body, new Solids());
    return solids.get(body)!;
  };
  const drawn = new Set(robot.visuals.map((visual) => visual.body));
  for (const { body, start, end } of robot.bars) {
    if (drawn.has(body)) continue; // the file's own shapes are shown instead
    of(body).tube(vector(start), vector(end), bar, BAR);
    of(body).ball(vector(start), bar, BAR).ball(vector(end), bar, BAR);
  }
  for (const seat of robot.seats) addJoint(of, seat, hub, drawn.has(seat.parent));
  for (const closure of robot.closures) {
    const pose = matrixOf(closure.start);
    const place = new Vector3().setFromMatrixPosition(pose);
    if (ONE_FREEDOM.has(closure.joint)) {
      const z = new Vector3().setFromMatrixColumn(pose, 2).multiplyScalar(1.3 * hub);
      of(closure.start_body).tube(place.clone().sub(z), place.clone().add(z), 0.9 * hub, CLOSURE, 28);
    } else of(closure.start_body).ball(place, 1.2 * hub, CLOSURE);
  }
  for (const visual of robot.visuals) addVisual(of(visual.body), visual);
  return new Map([...solids].filter(([, own]) => !own.empty).map(([body, own]) => [body, own.merged()]));
}

/** Geometries of visuals alone, by body. */
export function visualShapes(visuals: readonly Visual[]): Map<number, BufferGeometry> {
  const solids = new Map<number, Solids>();
  for (const visual of visuals) {
    if (!solids.has(visual.body)) solids.set(visual.body, new Solids());
    addVisual(solids.get(visual.body)!, visual);
  }
  return new Map([...solids].map(([body, own]) => [body, own.merged()]));
}

function addJoint(of: (body: number) => Solids, seat: Seat, hub: number, hidden: boolean): void {
  const pose = matrixOf(seat.pose);
  const place = new Vector3().setFromMatrixPosition(pose);
  const color = JOINTS[seat.kind] ?? BAR;
  if (seat.shape === "cylinder" && !hidden) {
    const z = new Vector3().setFromMatrixColumn(pose, 2).multiplyScalar(1.5 * hub);
    of(seat.parent).tube(place.clone().sub(z), place.clone().add(z), hub, color, 32);
  } else if (seat.shape === "ball" && !hidden) of(seat.parent).ball(place, 1.3 * hub, color);
  else if (seat.shape === "free body") of(seat.body).box(new Matrix4(), [1.6 * hub, 1.6 * hub, hub], BAR);
  // prismatic joints change with q: see `prismatic_rods`
}

function addVisual(solids: Solids, visual: Visual): void {
  const pose = matrixOf(visual.pose);
  const color: [number, number, number] = [visual.color[0]!, visual.color[1]!, visual.color[2]!];
  const [a = 0, b = 0, c = 0] = visual.size;
  if (visual.shape === "box") solids.add(new BoxGeometry(a, b, c), pose, color);
  else if (visual.shape === "sphere") solids.add(new SphereGeometry(a, 28, 18), pose, color);
  else if (visual.shape === "cylinder") {
    const upright = new CylinderGeometry(a, a, b, 32).rotateX(Math.PI / 2); // the file's axis is z
    solids.add(upright, pose, color);
  } else if (visual.mesh) {
    const mesh = new BufferGeometry();
    mesh.setAttribute("position", new BufferAttribute(new Float32Array(decoded(visual.mesh).buffer), 3));
    mesh.computeVertexNormals();
    solids.add(mesh, pose, color);
  }
}
