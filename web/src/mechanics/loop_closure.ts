// Closure of loops by Newton's method on the closure residual, with the loop Jacobian, in the tangent space of q.

import type { LoopRecord } from "../document/model_document";
import type { LawModule } from "../laws/law_module";
import { luSolve, minimumNorm } from "./linear_solve";

export const CLOSED = 1e-11; // [m], or sine of an angle
const ITERATIONS = 30;
const LONGEST_STEP = 0.3;

export class LoopClosure {
  readonly rows: readonly number[];
  private readonly residual;
  private readonly jacobian;
  private readonly integrate;

  constructor(
    laws: LawModule,
    readonly structure: LoopRecord,
    private readonly nv: number,
  ) {
    this.rows = structure.equations;
    this.residual = laws.law("loop_residual");
    this.jacobian = laws.law("loop_jacobian");
    this.integrate = laws.law("integrate");
  }

  /** The largest closure residual of all equations at q; NaN where q is. */
  largestResidual(q: ArrayLike<number>): number {
    const r = this.residual(q);
    let largest = 0;
    for (let k = 0; k < r.length; k++) {
      const size = Math.abs(r[k]!);
      if (Number.isNaN(size)) return NaN;
      largest = Math.max(largest, size);
    }
    return largest;
  }

  /**
   * The closed configuration near q, or null where Newton's method finds none.
   * held: coordinates of v that keep their value; the others move as little as possible.
   */
  close(q: ArrayLike<number>, held: Iterable<number> = []): Float64Array | null {
    const weights = new Float64Array(this.nv).fill(1);
    for (const k of held) weights[k] = 0;
    let now = Float64Array.from(q as ArrayLike<number>);
    let best = Infinity;
    for (let iteration = 0; iteration < ITERATIONS; iteration++) {
      const residual = this.largestResidual(now);
      if (!(residual < Infinity)) return null;
      if (residual < CLOSED) return now;
      if (iteration > 8 && residual > 0.9 * best) return residual < 1e-10 ? now : null;
      best = Math.min(best, residual);
      const step = this.newtonStep(now, weights);
      if (!step) return null;
      now = this.integrate(now, step).slice();
    }
    return null;
  }

  /** The loop Jacobian at q, a copy; all rows. */
  jacobianAt(q: ArrayLike<number>): Float64Array {
    return this.jacobian(q).slice();
  }

  /** The velocities that satisfy the loop constraints and differ least from v. */
  projectedVelocity(q: ArrayLike<number>, v: Float64Array): Float64Array {
    const J = this.jacobian(q);
    const rate = new Float64Array(J.length / this.nv);
    for (let i = 0; i < rate.length; i++)
      for (let k = 0; k < this.nv; k++) rate[i]! += J[i * this.nv + k]! * v[k]!;
    const correction = minimumNorm(J, rate, this.rows, this.nv);
    return correction ? v.map((x, k) => x - correction[k]!) : v;
  }

  /** v with its independent coordinates as given and the dependent ones from J_d v_d = -J_i v_i; null where J_d is singular. */
  completedVelocity(q: ArrayLike<number>, v: ArrayLike<number>): Float64Array | null {
    const { independent, dependent } = this.structure;
    const n = dependent.length;
    if (n !== this.rows.length) return null;
    const J = this.jacobian(q);
    const A = new Float64Array(n * n);
    const b = new Float64Array(n);
    this.rows.forEach((row, i) => {
      dependent.forEach((k, j) => (A[i * n + j] = J[row * this.nv + k]!));
      for (const k of independent) b[i]! -= J[row * this.nv + k]! * v[k]!;
    });
    if (!luSolve(A, b, n)) return null;
    const completed = Float64Array.from(v as ArrayLike<number>);
    dependent.forEach((k, j) => (completed[k] = b[j]!));
    return completed;
  }

  private newtonStep(q: Float64Array, weights: Float64Array): Float64Array | null {
    const r = this.residual(q).slice();
    const step = minimumNorm(this.jacobian(q), r, this.rows, this.nv, weights, 1e-13);
    if (!step) return null;
    let length = 0;
    for (const x of step) length += x * x;
    const scale = -Math.min(1, LONGEST_STEP / Math.sqrt(length || 1));
    for (let k = 0; k < step.length; k++) step[k]! *= scale;
    return step;
  }
}
