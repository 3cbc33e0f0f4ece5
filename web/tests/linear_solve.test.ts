import { expect, test } from "vitest";
import { choleskySolve, luSolve, minimumNorm } from "../src/mechanics/linear_solve";

function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16807) % 2147483647) / 2147483647 - 0.5;
}

const times = (A: ArrayLike<number>, x: ArrayLike<number>, n: number) =>
  Float64Array.from({ length: A.length / n }, (_, i) => {
    let s = 0;
    for (let k = 0; k < n; k++) s += A[i * n + k]! * x[k]!;
    return s;
  });

test("solutions satisfy their equations", () => {
  const next = random(7);
  for (let n = 1; n <= 12; n++) {
    const B = Float64Array.from({ length: n * n }, next);
    const G = new Float64Array(n * n);
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) for (let k = 0; k < n; k++) G[i * n + j]! += B[i * n + k]! * B[j * n + k]!;
    for (let i = 0; i < n; i++) G[i * n + i]! += 0.1;
    const b = Float64Array.from({ length: n }, next);
    const [x, y] = [b.slice(), b.slice()];
    expect(choleskySolve(G.slice(), x, n)).toBe(true);
    expect(luSolve(B.slice(), y, n)).toBe(true);
    times(G, x, n).forEach((value, k) => expect(value).toBeCloseTo(b[k]!, 10));
    times(B, y, n).forEach((value, k) => expect(value).toBeCloseTo(b[k]!, 8));
  }
});

test("singular matrices are refused", () => {
  expect(luSolve(Float64Array.of(1, 2, 2, 4), Float64Array.of(1, 1), 2)).toBe(false);
  expect(choleskySolve(Float64Array.of(1, 2, 2, 1), Float64Array.of(1, 1), 2)).toBe(false);
});

test("the minimum-norm solution has no part in the null space, and weights of zero hold", () => {
  const J = Float64Array.of(1, 2, 3, 0, 1, 1);
  const r = Float64Array.of(1, -1);
  const x = minimumNorm(J, r, [0, 1], 3)!;
  times(J, x, 3).forEach((value, k) => expect(value).toBeCloseTo(r[k]!, 10));
  const null_ = [-1, -1, 1]; // J null_ = 0
  expect(x[0]! * null_[0]! + x[1]! * null_[1]! + x[2]! * null_[2]!).toBeCloseTo(0, 10);
  const held = minimumNorm(J, r, [0, 1], 3, [0, 1, 1])!;
  expect(held[0]).toBe(0);
  times(J, held, 3).forEach((value, k) => expect(value).toBeCloseTo(r[k]!, 9));
});
