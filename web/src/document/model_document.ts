// Written by tools/web_types.py from src/rikigaku/web/model_document.py. Do not edit.

export const SCHEMA = 1;

/** One element of q. lower, upper: limits, None if unbounded; v: its place in v (-1 for a quaternion). */
export interface Coordinate {
  name: string;
  joint: string;
  kind: "angle" | "screw angle" | "length" | "quaternion";
  lower: number | null;
  upper: number | null;
  v: number;
}

/** A joint: its places in q and v, and what moves it. */
export interface JointRecord {
  name: string;
  type: string;
  q: number;
  nq: number;
  v: number;
  nv: number;
  actuated: boolean;
}

/** A straight part of a body, between two points in its frame. */
export interface Bar {
  body: number;
  start: number[];
  end: number[];
}

/** Place of an elementary joint on the parent body (z along its motion); `body` moves on it. */
export interface Seat {
  kind: string;
  shape: "cylinder" | "box" | "ball" | "free body";
  parent: number;
  pose: number[];
  body: number;
  q: number;
}

/** Mass of a body, its centre, and the ellipsoid of inertia. */
export interface MassPoint {
  body: number;
  mass: number;
  centre: number[];
  axes: number[];
  radii: number[] | null;
}

/** A named frame on a body; law: the exported Jacobian of the frame, "" if there is none. */
export interface FrameRecord {
  name: string;
  body: number;
  pose: number[];
  law: string;
}

/** A cut joint: the poses of its two ends, which coincide where the loop is closed. */
export interface ClosureRecord {
  name: string;
  joint: string;
  start_body: number;
  start: number[];
  end_body: number;
  end: number[];
}

/** A shape of the robot's file on a body; size: box edges, or radius and length, or radius. */
export interface Visual {
  body: number;
  shape: "box" | "cylinder" | "sphere" | "mesh";
  pose: number[];
  size: number[];
  color: number[];
  mesh: string | null;
}

/** Structure of the loop equations: rows of the residual, and coordinates of v, by their places. */
export interface LoopRecord {
  equations: number[];
  independent: number[];
  dependent: number[];
  actuated: number[];
  mobility: number;
  redundant: number;
}

/** A surface as triangles: x, y, z of its vertices [m] in the axes of the body that carries it. */
export interface SurfaceMesh {
  body: number;
  vertices: number[][];
  triangles: number[];
}

/** A contact over the samples of a motion: its point [m] and the force on the robot [N], world axes. */
export interface ContactTrack {
  name: string;
  points: number[];
  forces: number[];
}

/** Beams over the samples of a motion: pairs of nodes, and x, y, z of all nodes [m] for each sample. */
export interface BeamMotion {
  elements: number[];
  rails: number[];
  nodes: number[][];
}

/** A recorded motion that the page plays: times [s] and one row of q for each. */
export interface Motion {
  title: string;
  times: number[];
  positions: number[][];
  contacts: ContactTrack[];
  surfaces: SurfaceMesh[];
  shapes: Visual[];
  beams: BeamMotion | null;
}

/** Displacements of all nodes [m], x, y, z each: a deflection, or the real part of a vibration mode. */
export interface BeamShape {
  name: string;
  frequency: number | null;
  displacements: number[];
  imaginary: number[];
}

/** Undeformed beams at a configuration q: pairs of nodes, x, y, z of all nodes [m], and shapes on them. */
export interface BeamMesh {
  title: string;
  q: number[];
  nodes: number[];
  elements: number[];
  rails: number[];
  shapes: BeamShape[];
}

/** Configurations shown as ghosts: branches of inverse kinematics, assembly modes. */
export interface NamedConfigurations {
  title: string;
  names: string[];
  positions: number[][];
  law: string;
}

/** Names of the elements of q, v and tau in formulas, as in `law.formulas`. */
export interface StateNames {
  q: string[];
  v: string[];
  tau: string[];
}

/** A robot for the page: what is drawn, what can be moved, and its laws as one WebAssembly module. */
export interface RobotDocument {
  schema: number;
  name: string;
  nq: number;
  nv: number;
  gravity: number[];
  q: number[];
  size: number;
  centre: number[];
  view: number[];
  ground: number | null;
  coordinates: Coordinate[];
  joints: JointRecord[];
  bodies: string[];
  bars: Bar[];
  seats: Seat[];
  masses: MassPoint[];
  frames: FrameRecord[];
  closures: ClosureRecord[];
  visuals: Visual[];
  loops: LoopRecord | null;
  names: StateNames;
  wasm: string;
  ghosts: NamedConfigurations[];
  motions: Motion[];
  surfaces: SurfaceMesh[];
  beams: BeamMesh[];
}

/** What a page holds beside its HTML: the robot (None where it cannot be drawn), and its language. */
export interface PageDocument {
  schema: number;
  host: "report" | "notebook" | "studio";
  language: "en" | "ja";
  robot: RobotDocument | null;
}
