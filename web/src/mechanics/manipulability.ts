// Manipulability of a frame: singular values of its Jacobian over the independent coordinates [Yoshikawa1985].

import type { RobotState } from "./robot_state";

/** Which motion of the frame counts: of its origin (3), or with its rotation (6). */
export type Rows = 3 | 6;

export interface Manipulability {
  /** Singular values of the Jacobian, largest first; the first `rank` of them can differ from zero. */
  values: number[];
  rank: number;
  /** Product of the first `rank` singular values; 0 at a singular configuration. */
  measure: number;
  /** Smallest over largest of the first `rank` singular values. */
  isotropy: number;
  /** Velocity ellipsoid of the frame's origin: half axes [m per unit of joint speed] and directions (columns). */
  axes: number[];
  directions: Float64Array;
}

const SAMPLES = 12; // configurations at which the rank is determined
const NO_MOTION = 1e-7; // relative singular value that is zero

/** The Jacobian of a frame over the independent coordinates, 6 x n row-major, at q; null without the law. */
export function frameJacobian(state: RobotState, frame: number, q: ArrayLike<number> = state.q): { J: Float64Array; n: number } | null {
  const record = state.robot.frames[frame];
  const law = record?.law ? state.laws?.find(record.law) : undefined;
  if (!law) return null;
  const { nv, loops } = state.robot;
  const whole = law(q).slice();
  const complete = loops ? state.laws?.find("complete") : undefined;
  if (!loops || !complete) return { J: whole, n: nv };
  const own = loops.independent.length;
  const J = new Float64Array(6 * own);
  const unit = new Float64Array(own);
  const zero = new Float64Array(own);
  for (let k = 0; k < own; k++) {
    unit.fill(0);
    unit[k] = 1;
    const v = complete(q, unit, zero);
    for (let i = 0; i < 6; i++) for (let j = 0; j < nv; j++) J[i * own + k]! += whole[i * nv + j]! * v[j]!;
  }
  return { J, n: own };
}

/**
 * Distance of the loops from singularity: 1 / |P| with v = P v_independent (Frobenius norm; at most 1). It
 * vanishes where the independent coordinates no longer determine the others: with them locked the robot can
 * still move.
 */
export function loopRegularity(state: RobotState, q: ArrayLike<number> = state.q): number {
  const { loops, nv } = state.robot;
  const complete = loops ? state.laws?.find("complete") : undefined;
  if (!loops || !complete) return 1;
  const unit = new Float64Array(loops.independent.length);
  const zero = new Float64Array(unit.length);
  let sum = 0;
  for (let k = 0; k < unit.length; k++) {
    unit.fill(0);
    unit[k] = 1;
    const v = complete(q, unit, zero);
    for (let j = 0; j < nv; j++) sum += v[j]! ** 2;
  }
  return Number.isFinite(sum) ? Math.min(1, 1 / Math.sqrt(sum)) : 0;
}

/** Manipulability at the present configuration; rank as `structuralRank` returns it. */
export function manipulability(state: RobotState, frame: number, rank: number, rows: Rows, q: ArrayLike<number> = state.q): Manipulability | null {
  const found = frameJacobian(state, frame, q);
  if (!found) return null;
  const { J, n } = found;
  const values = symmetricEigen(gram(J, n, rows), rows).values.map((x) => Math.sqrt(Math.max(x, 0)));
  const linear = symmetricEigen(gram(J, n, 3), 3);
  const used = values.slice(0, Math.max(rank, 1));
  return {
    values,
    rank,
    measure: used.reduce((a, b) => a * b, 1),
    isotropy: used[0]! > 0 ? used[used.length - 1]! / used[0]! : 0,
    axes: linear.values.map((x) => Math.sqrt(Math.max(x, 0))),
    directions: linear.vectors,
  };
}

/** Largest rank of the Jacobian over sampled configurations. */
export function structuralRank(state: RobotState, frame: number, rows: Rows): number {
  const { coordinates } = state.robot;
  let best = 0;
  let seed = 1;
  const random = () => ((seed = (seed * 16807) % 2147483647) / 2147483647) * 2 - 1;
  for (let k = 0; k < SAMPLES; k++) {
    let q: Float64Array | null = Float64Array.from(state.q, (x, i) => (coordinates[i]!.kind === "quaternion" ? x : x + (k ? 0.4 * random() : 0)));
    if (state.loops) q = state.loops.close(q);
    const found = q && frameJacobian(state, frame, q);
    if (!found) continue;
    const values = symmetricEigen(gram(found.J, found.n, rows), rows).values.map((x) => Math.sqrt(Math.max(x, 0)));
    best = Math.max(best, values.filter((x) => x > NO_MOTION * values[0]!).length);
  }
  return best;
}

/**
 * A singular configuration near the present one: descent of the smallest singular value over the coordinates
 * with sliders, loops closed, from here and from random configurations around. Returns q, or null where none
 * was found.
 */
export function nearbySingularity(state: RobotState, frame: number, rank: number, rows: Rows): Float64Array | null {
  const sliders = state.sliders;
  const bounds = sliders.map((k) => {
    const { lower, upper } = state.robot.coordinates[k]!;
    const now = state.q[k]!; // it may lie beyond the limits
    return [Math.min(lower ?? -Infinity, now), Math.max(upper ?? Infinity, now)] as const;
  });
  let seed = 7;
  const random = () => ((seed = (seed * 16807) % 2147483647) / 2147483647) * 2 - 1;
  for (let attempt = 0; attempt < 8; attempt++) {
    const start = state.q.slice();
    if (attempt) sliders.forEach((k, i) => (start[k] = Math.min(bounds[i]![1], Math.max(bounds[i]![0], start[k]! + 0.25 * attempt * random()))));
    const closed = state.loops && attempt ? state.loops.close(start) : start;
    const found = closed && descent(state, frame, rank, rows, closed, sliders, bounds);
    if (found) return found;
  }
  return null;
}

function descent(
  state: RobotState,
  frame: number,
  rank: number,
  rows: Rows,
  start: Float64Array,
  sliders: readonly number[],
  bounds: readonly (readonly [number, number])[],
): Float64Array | null {
  const value = (q: ArrayLike<number>) => manipulability(state, frame, rank, rows, q)?.isotropy ?? Infinity;
  const close = (q: Float64Array) => (state.loops ? state.loops.close(q) : q);
  let q = start;
  let now = value(q);
  let step = 0.2;
  for (let round = 0; round < 300 && now > 1e-9 && step > 1e-12; round++) {
    const slope = sliders.map((k, i) => {
      const trial = q.slice();
      trial[k]! += 1e-6;
      const closed = close(trial);
      const own = closed ? (value(closed) - now) / 1e-6 : 0;
      const [low, high] = bounds[i]!;
      return (own > 0 && q[k]! <= low) || (own < 0 && q[k]! >= high) ? 0 : own; // at a limit
    });
    const length = Math.hypot(...slope);
    if (!(length > 1e-12)) break;
    const trial = q.slice();
    const reach = Math.min(step, now / length); // a Newton step towards zero, no longer than the present step
    sliders.forEach((k, i) => (trial[k] = Math.min(bounds[i]![1], Math.max(bounds[i]![0], trial[k]! - (reach * slope[i]!) / length))));
    const closed = close(trial);
    const next = closed ? value(closed) : Infinity;
    if (next < now) {
      [q, now] = [closed!, next];
      step = Math.min(0.3, 1.5 * step);
    } else step /= 2;
  }
  return now < 1e-4 ? q : null;
}

/** J J^T of the first rows of J (6 x n). */
function gram(J: Float64Array, n: number, rows: number): Float64Array {
  const G = new Float64Array(rows * rows);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < rows; j++) for (let k = 0; k < n; k++) G[i * rows + j]! += J[i * n + k]! * J[j * n + k]!;
  return G;
}

/** Eigenvalues, largest first, and vectors (columns) of a symmetric matrix, by Jacobi rotations. */
export function symmetricEigen(matrix: Float64Array, n: number): { values: number[]; vectors: Float64Array } {
  const A = matrix.slice();
  const V = new Float64Array(n * n);
  for (let i = 0; i < n; i++) V[i * n + i] = 1;
  for (let sweep = 0; sweep < 30; sweep++) {
    let off = 0;
    let all = 0;
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) (all += A[i * n + j]! ** 2), i !== j && (off += A[i * n + j]! ** 2);
    if (off <= 1e-30 * all) break;
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        const apq = A[p * n + q]!;
        if (apq === 0) continue;
        const theta = (A[q * n + q]! - A[p * n + p]!) / (2 * apq);
        const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.hypot(theta, 1));
        const c = 1 / Math.hypot(t, 1);
        const s = t * c;
        for (let k = 0; k < n; k++) {
          const [x, y] = [A[k * n + p]!, A[k * n + q]!];
          A[k * n + p] = c * x - s * y;
          A[k * n + q] = s * x + c * y;
        }
        for (let k = 0; k < n; k++) {
          const [x, y] = [A[p * n + k]!, A[q * n + k]!];
          A[p * n + k] = c * x - s * y;
          A[q * n + k] = s * x + c * y;
          const [v, w] = [V[k * n + p]!, V[k * n + q]!];
          V[k * n + p] = c * v - s * w;
          V[k * n + q] = s * v + c * w;
        }
      }
  }
  const order = [...Array(n).keys()].sort((i, j) => A[j * n + j]! - A[i * n + i]!);
  const vectors = new Float64Array(n * n);
  order.forEach((from, to) => {
    for (let k = 0; k < n; k++) vectors[k * n + to] = V[k * n + from]!;
  });
  return { values: order.map((i) => A[i * n + i]!), vectors };
}
