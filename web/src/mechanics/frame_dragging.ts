// A frame follows a target by damped least squares with the frame's Jacobian; loops stay closed.

import type { Law, LawModule } from "../laws/law_module";
import { choleskySolve, minimumNorm } from "./linear_solve";
import type { LoopClosure } from "./loop_closure";

const STEPS = 6;
const DAMPING = 0.02; // relative to the size of the Jacobian
const LONGEST_STEP = 0.25; // [rad, m]

export class FrameDragging {
  private readonly integrate;

  constructor(
    laws: LawModule,
    private readonly nv: number,
    private readonly loops: LoopClosure | null,
    private readonly clamp: (q: Float64Array) => void,
  ) {
    this.integrate = laws.law("integrate");
  }

  /**
   * q with the frame's origin nearer to the target [m].
   * place: position of the frame at q. Loops that cannot be closed end the motion there.
   */
  follow(q: Float64Array, jacobian: Law, place: (q: Float64Array) => ArrayLike<number>, target: ArrayLike<number>) {
    let now = q;
    for (let k = 0; k < STEPS; k++) {
      const p = place(now);
      const error = [target[0]! - p[0]!, target[1]! - p[1]!, target[2]! - p[2]!];
      const distance = Math.hypot(...error);
      if (distance < 1e-6) break;
      const step = this.step(now, jacobian, error);
      if (!step) break;
      const next = this.integrate(now, step).slice();
      this.clamp(next);
      const closed = this.loops ? this.loops.close(next) : next;
      if (!closed) break;
      const reached = place(closed);
      const left = Math.hypot(target[0]! - reached[0]!, target[1]! - reached[1]!, target[2]! - reached[2]!);
      if (!(left < distance * (1 + 1e-9))) break;
      now = closed;
    }
    return now;
  }

  /** J J^T of the frame's linear Jacobian (3 x 3), loops closed. */
  mobilityMatrix(q: Float64Array, jacobian: Law): Float64Array {
    return this.linear(q, jacobian).G;
  }

  private linear(q: Float64Array, jacobian: Law): { J: Float64Array; G: Float64Array } {
    const n = this.nv;
    const J = jacobian(q).slice(0, 3 * n);
    if (this.loops) this.projectRows(q, J);
    const G = new Float64Array(9);
    for (let i = 0; i < 3; i++)
      for (let j = 0; j < 3; j++) for (let k = 0; k < n; k++) G[i * 3 + j]! += J[i * n + k]! * J[j * n + k]!;
    return { J, G };
  }

  /** v of min |J v - e|^2 + d^2 |v|^2, then without the part that opens loops. */
  private step(q: Float64Array, jacobian: Law, error: number[]): Float64Array | null {
    const n = this.nv;
    const { J, G } = this.linear(q, jacobian);
    const size = G[0]! + G[4]! + G[8]!;
    for (let i = 0; i < 3; i++) G[i * 4]! += DAMPING * DAMPING * size + 1e-18;
    const y = Float64Array.from(error);
    if (!choleskySolve(G, y, 3)) return null;
    const v = new Float64Array(n);
    let length = 0;
    for (let k = 0; k < n; k++) {
      for (let i = 0; i < 3; i++) v[k]! += J[i * n + k]! * y[i]!;
      length += v[k]! ** 2;
    }
    const scale = Math.min(1, LONGEST_STEP / Math.sqrt(length || 1));
    return v.map((x) => scale * x);
  }

  /** Rows of J without their components along the rows of the loop Jacobian. */
  private projectRows(q: Float64Array, J: Float64Array): void {
    const n = this.nv;
    const loops = this.loops!;
    const L = loops.jacobianAt(q);
    for (let i = 0; i < 3; i++) {
      const row = J.subarray(i * n, (i + 1) * n);
      const rate = new Float64Array(L.length / n);
      for (let a = 0; a < rate.length; a++) for (let k = 0; k < n; k++) rate[a]! += L[a * n + k]! * row[k]!;
      const along = minimumNorm(L, rate, loops.rows, n, undefined, 1e-12);
      if (along) for (let k = 0; k < n; k++) row[k]! -= along[k]!;
    }
  }
}
