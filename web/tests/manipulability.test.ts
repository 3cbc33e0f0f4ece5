import { expect, test } from "vitest";
import { symmetricEigen } from "../src/mechanics/manipulability";

test("eigenvalues of a symmetric matrix are those of its construction, with orthonormal vectors", () => {
  const wanted = [9, 4, 1];
  const [c, s] = [Math.cos(0.4), Math.sin(0.4)];
  const R = [c, -s, 0, s * 0.6, c * 0.6, -0.8, s * 0.8, c * 0.8, 0.6];
  const A = new Float64Array(9);
  for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) for (let k = 0; k < 3; k++) A[3 * i + j]! += R[3 * i + k]! * wanted[k]! * R[3 * j + k]!;
  const { values, vectors } = symmetricEigen(A, 3);
  values.forEach((x, k) => expect(x).toBeCloseTo(wanted[k]!, 12));
  for (let k = 0; k < 3; k++) {
    const column = [0, 1, 2].map((i) => vectors[3 * i + k]!);
    for (let i = 0; i < 3; i++) {
      const image = [0, 1, 2].reduce((sum, j) => sum + A[3 * i + j]! * column[j]!, 0);
      expect(image).toBeCloseTo(wanted[k]! * column[i]!, 12);
    }
  }
});
