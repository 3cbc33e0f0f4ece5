// The robot of a page: its document, its laws, and the configuration that all parts of the page show.

import type { RobotDocument } from "../document/model_document";
import { LawModule, decoded, type Law } from "../laws/law_module";
import { FrameDragging } from "./frame_dragging";
import { LoopClosure } from "./loop_closure";

export type Listener = (state: RobotState) => void;

export class RobotState {
  q: Float64Array;
  /** Velocities and accelerations at which values are shown: of the independent coordinates. */
  v: Float64Array;
  a: Float64Array;
  /** Whether a motion is being played: q then changes with every frame of the screen. */
  playing = false;
  readonly loops: LoopClosure | null;
  readonly dragging: FrameDragging | null;
  private readonly listeners = new Set<Listener>();
  private readonly bodyPoses: Law | undefined;
  private poses: Float64Array;

  constructor(
    readonly robot: RobotDocument,
    public laws: LawModule | null,
  ) {
    this.q = Float64Array.from(robot.q);
    this.bodyPoses = laws?.find("body_poses");
    this.poses = this.bodyPoses ? this.bodyPoses(this.q) : new Float64Array(12 * robot.bodies.length);
    const closes = laws?.has("loop_residual") && laws.has("integrate") && robot.loops;
    this.loops = laws && closes && robot.loops ? new LoopClosure(laws, robot.loops, robot.nv) : null;
    this.dragging = laws?.has("integrate") ? new FrameDragging(laws, robot.nv, this.loops, (q) => this.clamp(q)) : null;
    const own = robot.loops ? robot.loops.mobility : robot.nv;
    this.v = new Float64Array(own).fill(0.5);
    this.a = new Float64Array(own).fill(1);
    if (this.loops) this.q = this.loops.close(this.q) ?? this.q;
  }

  static async of(robot: RobotDocument): Promise<RobotState> {
    return new RobotState(robot, robot.wasm ? await LawModule.of(decoded(robot.wasm)) : null);
  }

  /** More laws of the same robot. */
  async addLaws(robot: RobotDocument): Promise<void> {
    if (!robot.wasm) return;
    this.laws = await LawModule.of(decoded(robot.wasm));
    this.changed();
  }

  /** Whether the page can move the robot. */
  get moves(): boolean {
    return this.bodyPoses !== undefined && this.robot.nq > 0;
  }

  /** Poses [R p] of all bodies at the present configuration, 12 numbers each. */
  get worldPoses(): Float64Array {
    if (this.bodyPoses) this.poses = this.bodyPoses(this.q);
    return this.poses;
  }

  /** Poses of all bodies at another configuration, a copy. */
  posesAt(q: ArrayLike<number>): Float64Array {
    return this.bodyPoses ? this.bodyPoses(q).slice() : this.poses;
  }

  /** Coordinates with a slider: the independent ones of a closed robot, else all but quaternions. */
  get sliders(): number[] {
    const independent = this.robot.loops ? new Set(this.robot.loops.independent) : null;
    return this.robot.coordinates.flatMap((coordinate, k) =>
      coordinate.kind !== "quaternion" && (!independent || independent.has(coordinate.v)) ? [k] : [],
    );
  }

  /** Coordinates that the loops determine. */
  get followers(): number[] {
    if (!this.robot.loops) return [];
    const own = new Set(this.sliders);
    return this.robot.coordinates.flatMap((coordinate, k) =>
      coordinate.kind !== "quaternion" && !own.has(k) ? [k] : [],
    );
  }

  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Show another configuration. */
  set(q: ArrayLike<number>): void {
    this.q = Float64Array.from(q as ArrayLike<number>);
    this.changed();
  }

  changed(): void {
    for (const listener of this.listeners) listener(this);
  }

  /**
   * Move one coordinate; those that loops determine follow. Where the loops cannot be closed the robot stays.
   * Returns whether the coordinate has the value.
   */
  move(index: number, value: number): boolean {
    const next = this.q.slice();
    if (!this.loops) {
      next[index] = value;
      this.set(next);
      return true;
    }
    // Small steps stay in the assembly mode.
    const held = new Set(this.robot.loops!.independent);
    const from = next[index]!;
    const count = Math.max(1, Math.ceil(Math.abs(value - from) / 0.1));
    let now: Float64Array | null = next;
    for (let k = 1; k <= count && now; k++) {
      const trial = Float64Array.from(now);
      trial[index] = from + ((value - from) * k) / count;
      const closed = this.loops.close(trial, held);
      if (!closed) break;
      now = closed;
    }
    this.set(now);
    return Math.abs(now[index]! - value) < 1e-9;
  }

  /** Bring the origin of a frame towards a point of the world; returns whether the robot moved. */
  drag(frame: number, target: ArrayLike<number>): boolean {
    const record = this.robot.frames[frame]!;
    const jacobian = record.law && this.laws ? this.laws.find(record.law) : undefined;
    if (!jacobian || !this.dragging) return false;
    const place = (q: Float64Array) => this.framePlace(frame, q);
    const before = this.q;
    this.q = this.dragging.follow(this.q, jacobian, place, target);
    if (this.q === before) return false;
    this.changed();
    return true;
  }

  /** Unit normal of the plane in which a frame's origin moves, or null where it moves in space or on a line. */
  motionNormal(frame: number): [number, number, number] | null {
    const record = this.robot.frames[frame]!;
    const jacobian = record.law && this.laws ? this.laws.find(record.law) : undefined;
    const G = jacobian && this.dragging?.mobilityMatrix(this.q, jacobian);
    if (!G) return null;
    const column = (k: number) => [G[k]!, G[3 + k]!, G[6 + k]!] as const;
    const trace = G[0]! + G[4]! + G[8]!;
    let best: [number, number, number] = [0, 0, 0];
    let length = 0;
    for (const [i, j] of [[0, 1], [1, 2], [2, 0]] as const) {
      const [a, b] = [column(i), column(j)];
      const n: typeof best = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
      const size = Math.hypot(...n);
      if (size > length) [best, length] = [n, size];
    }
    if (!(length > 1e-9 * trace * trace)) return null;
    const n = best.map((x) => x / length) as typeof best;
    let out = 0;
    for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) out += n[i]! * G[3 * i + j]! * n[j]!;
    return out < 1e-9 * trace ? n : null;
  }

  /** Position of a frame's origin at q. */
  framePlace(frame: number, q: ArrayLike<number> = this.q): [number, number, number] {
    const { body, pose } = this.robot.frames[frame]!;
    const [x, y, z] = [pose[3]!, pose[7]!, pose[11]!];
    if (body < 0) return [x, y, z];
    const X = this.bodyPoses!(q);
    const at = 12 * body;
    const row = (i: number) =>
      X[at + 4 * i]! * x + X[at + 4 * i + 1]! * y + X[at + 4 * i + 2]! * z + X[at + 4 * i + 3]!;
    return [row(0), row(1), row(2)];
  }

  /** v and a of all joints at which values are shown. */
  get rates(): { v: Float64Array; a: Float64Array } {
    const complete = this.robot.loops ? this.laws?.find("complete") : undefined;
    if (!complete) return { v: this.v, a: this.a };
    const both = complete(this.q, this.v, this.a);
    return { v: both.slice(0, this.robot.nv), a: both.slice(this.robot.nv, 2 * this.robot.nv) };
  }

  private clamp(q: Float64Array): void {
    this.robot.coordinates.forEach(({ lower, upper }, k) => {
      if (lower !== null && q[k]! < lower) q[k] = lower;
      if (upper !== null && q[k]! > upper) q[k] = upper;
    });
  }
}
