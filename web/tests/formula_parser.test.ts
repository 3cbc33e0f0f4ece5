import { expect, test } from "vitest";
import { BadFormula, parseFormula } from "../src/formula/formula_parser";

const value = (text: string, names: string[] = [], values: number[] = []) => parseFormula(text, names)(values);

test.each([
  ["1 + 2*3", 7],
  ["-2^2", -4],
  ["2^-1", 0.5],
  ["2**3**2", 512],
  ["(1 + 2)*3 - 4/2", 7],
  ["sin(pi/6)", 0.5],
  ["90*deg", Math.PI / 2],
  ["sqrt(2)^2", 2],
  ["sign(-3) + cos(0)", 0],
  ["1.5e1 - .5", 14.5],
  ["--3", 3],
])("%s has the value of the Python package's grammar", (text, expected) => {
  expect(value(text)).toBeCloseTo(expected, 12);
});

test("names take their values in order", () => {
  expect(value("k*q1 - 2*q1_dot", ["k", "q1", "q1_dot"], [3, 5, 0.5])).toBe(14);
});

test.each([
  ["2 q1", "formula.operatorMissing", 2],
  ["(1 + 2", "formula.bracketMissing", 6],
  ["1 + ", "formula.endsEarly", 4],
  ["*3", "formula.operandMissing", 0],
  ["sin 3", "formula.argumentMissing", 0],
  ["foo + 1", "formula.unknownName", 0],
  ["constructor", "formula.unknownName", 0],
  ["1)", "formula.closesNothing", 1],
  ["1 $ 2", "formula.unknownCharacter", 2],
  ["(".repeat(500), "formula.tooDeep", 101],
  ["1".repeat(2000), "formula.longText", 1000],
])("%s is refused with its place", (text, reason, position) => {
  const read = () => parseFormula(text, ["q1"]);
  expect(read).toThrow(BadFormula);
  try {
    read();
  } catch (error) {
    expect((error as BadFormula).reason).toBe(reason);
    expect((error as BadFormula).position).toBe(position);
  }
});
