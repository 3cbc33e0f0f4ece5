// Small dense linear systems: Cholesky factors with a little damping, LU with partial pivoting. Row-major.

/** x of A x = b for a symmetric positive definite A (n x n), which is overwritten; b becomes x. */
export function choleskySolve(A: Float64Array, b: Float64Array, n: number): boolean {
  for (let j = 0; j < n; j++) {
    let d = A[j * n + j]!;
    for (let k = 0; k < j; k++) d -= A[j * n + k]! ** 2;
    if (!(d > 0)) return false;
    d = Math.sqrt(d);
    A[j * n + j] = d;
    for (let i = j + 1; i < n; i++) {
      let s = A[i * n + j]!;
      for (let k = 0; k < j; k++) s -= A[i * n + k]! * A[j * n + k]!;
      A[i * n + j] = s / d;
    }
  }
  for (let i = 0; i < n; i++) {
    let s = b[i]!;
    for (let k = 0; k < i; k++) s -= A[i * n + k]! * b[k]!;
    b[i] = s / A[i * n + i]!;
  }
  for (let i = n - 1; i >= 0; i--) {
    let s = b[i]!;
    for (let k = i + 1; k < n; k++) s -= A[k * n + i]! * b[k]!;
    b[i] = s / A[i * n + i]!;
  }
  return true;
}

/** x of A x = b by elimination with partial pivoting; A and b are overwritten. False if A is singular. */
export function luSolve(A: Float64Array, b: Float64Array, n: number): boolean {
  let largest = 0;
  for (let k = 0; k < n * n; k++) largest = Math.max(largest, Math.abs(A[k]!));
  for (let j = 0; j < n; j++) {
    let p = j;
    for (let i = j + 1; i < n; i++) if (Math.abs(A[i * n + j]!) > Math.abs(A[p * n + j]!)) p = i;
    if (!(Math.abs(A[p * n + j]!) > 1e-13 * largest)) return false;
    if (p !== j) {
      for (let k = j; k < n; k++) [A[j * n + k], A[p * n + k]] = [A[p * n + k]!, A[j * n + k]!];
      [b[j], b[p]] = [b[p]!, b[j]!];
    }
    for (let i = j + 1; i < n; i++) {
      const f = A[i * n + j]! / A[j * n + j]!;
      if (f === 0) continue;
      for (let k = j; k < n; k++) A[i * n + k]! -= f * A[j * n + k]!;
      b[i]! -= f * b[j]!;
    }
  }
  for (let i = n - 1; i >= 0; i--) {
    let s = b[i]!;
    for (let k = i + 1; k < n; k++) s -= A[i * n + k]! * b[k]!;
    b[i] = s / A[i * n + i]!;
  }
  return true;
}

/**
 * Minimum-norm x of J x = r: x = W J^T (J W J^T + d I)^-1 r with weights W (diagonal).
 * rows: the rows of J (m x n) that are used; damping is relative to the largest diagonal element.
 */
export function minimumNorm(
  J: ArrayLike<number>,
  r: ArrayLike<number>,
  rows: readonly number[],
  n: number,
  weights?: ArrayLike<number>,
  damping = 1e-14,
): Float64Array | null {
  const m = rows.length;
  const G = new Float64Array(m * m);
  const y = new Float64Array(m);
  let largest = 0;
  for (let a = 0; a < m; a++) {
    const i = rows[a]! * n;
    y[a] = r[rows[a]!]!;
    for (let b = 0; b <= a; b++) {
      const j = rows[b]! * n;
      let s = 0;
      for (let k = 0; k < n; k++) s += J[i + k]! * J[j + k]! * (weights ? weights[k]! : 1);
      G[a * m + b] = G[b * m + a] = s;
    }
    largest = Math.max(largest, G[a * m + a]!);
  }
  for (let a = 0; a < m; a++) G[a * m + a]! += damping * largest;
  if (!choleskySolve(G, y, m)) return null;
  const x = new Float64Array(n);
  for (let a = 0; a < m; a++) {
    const i = rows[a]! * n;
    for (let k = 0; k < n; k++) x[k]! += J[i + k]! * y[a]! * (weights ? weights[k]! : 1);
  }
  return x;
}
