// What screens decide by themselves: typed numbers, gravity of the earth, values of assembly modes, names of equations.

import { afterEach, expect, test, vi } from "vitest";
import type { Coordinate } from "../src/document/model_document";
import { BadFormula, parseFormula } from "../src/formula/formula_parser";
import { earthGravity } from "../src/studio/analysis/earth_gravity";
import { numberProblem } from "../src/studio/analysis/fields";
import { modeValues } from "../src/studio/analysis/mode_values";
import { equationName } from "../src/texts/equation_name";
import { setLanguage } from "../src/texts/texts";

vi.stubGlobal("Document", class {});
const page = { querySelectorAll: () => [] } as unknown as ParentNode;
afterEach(() => setLanguage("en", page));

test("a decimal comma is refused by naming the point", () => {
  expect(numberProblem("0,5", 0)).toBe("field.decimalPoint");
  expect(numberProblem("0.5", 0)).toBe("");
  expect(numberProblem("half", 0)).toBe("field.notNumber");
  expect(numberProblem("", 0)).toBe("field.notNumber");
  expect(numberProblem("-1", 0)).toBe("field.least");
  const refused = () => parseFormula("2*q1 + 0,5", ["q1"]);
  expect(refused).toThrow(BadFormula);
  expect(refused).toThrow(/formula\.decimalComma/);
});

test("earth has the direction of the robot's gravity", () => {
  expect(earthGravity([-9.81, 0, 0])).toEqual([-9.81, 0, 0]);
  expect(earthGravity([0, 0, 0])).toEqual([0, 0, -9.81]);
  const tilted = earthGravity([0, 0.3, -0.4]);
  expect(tilted[0]).toBe(0);
  expect(tilted[1]).toBeCloseTo(0.6 * 9.81, 12);
  expect(tilted[2]).toBeCloseTo(-0.8 * 9.81, 12);
});

test("assembly modes that look alike are told apart by their dependent coordinates", () => {
  const coordinate = (name: string, kind: string) => ({ name, kind }) as Coordinate;
  const coordinates = [coordinate("crank", "angle"), coordinate("wheel", "angle"), coordinate("rocker", "angle"), coordinate("block", "length")];
  const modes = [
    [0.4, 0.1, 0.5, 0.31],
    [0.4, 0.1 + 2 * Math.PI, 0.5 + Math.PI, -0.31],
  ];
  const [first, second] = modeValues(coordinates, [1, 2, 3], modes, 3);
  expect(first!.map(({ name }) => name)).toEqual(["rocker", "block", "wheel"]); // differing ones first
  expect(first!.map(({ differs }) => differs)).toEqual([true, true, false]);
  expect(first!.map(({ value }) => value)).toEqual(["28.6°", "0.310 m", "5.7°"]);
  expect(second!.map(({ value }) => value).slice(0, 2)).toEqual(["208.6°", "-0.310 m"]);
  expect(modeValues(coordinates, [1, 2, 3], modes, 2)[0]!.length).toBe(2);
  expect(modeValues(coordinates, [1], [], 2)).toEqual([]);
});

test("names of loop equations follow the language", () => {
  expect(equationName("left cut: gap x")).toBe("left cut: gap x");
  setLanguage("ja", page);
  expect(equationName("left cut: gap x")).toBe("left cut: x 方向のずれ");
  expect(equationName("gear of elbow")).toBe("elbow の歯車");
  expect(equationName("cut: x.z")).toBe("cut: x.z");
});
