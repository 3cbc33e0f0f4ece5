// Mechanics of the page on real robots: documents that Python wrote into the folder RIKIGAKU_DOCUMENTS.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RobotDocument } from "../src/document/model_document";
import { parseFormula } from "../src/formula/formula_parser";
import { loopRegularity, manipulability, nearbySingularity, structuralRank } from "../src/mechanics/manipulability";
import { LoopClosure } from "../src/mechanics/loop_closure";
import { RobotState } from "../src/mechanics/robot_state";
import { simulate } from "../src/mechanics/simulation";

const folder = process.env["RIKIGAKU_DOCUMENTS"];
if (!folder) throw new Error("RIKIGAKU_DOCUMENTS names no folder: run the tests by ./dev web.");
const robot = async (name: string) =>
  RobotState.of(JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")) as RobotDocument);

/** Value and expectation computed by the native kernels, written beside the documents. */
interface Reference {
  q: number[];
  v: number[];
  a: number[];
  laws: Record<string, number[]>;
}
const reference = (name: string) =>
  JSON.parse(readFileSync(join(folder, `${name}.reference.json`), "utf8")) as Reference;

describe.each(["planar_2r", "puma560", "five_bar", "stewart", "humanoid_32", "geared_2r"])("%s", (name) => {
  test("laws have the values of the native kernels", async () => {
    const state = await robot(name);
    const { q, v, a, laws } = reference(name);
    const inputs: Record<string, number[]> = { q, v, a, gravity: state.robot.gravity };
    for (const [law, expected] of Object.entries(laws)) {
      const own = state.laws!.law(law);
      const given = own.signature.inputs.map((port) => inputs[port.name] ?? Array(port.shape[0]).fill(0));
      const found = own(...given);
      const scale = Math.max(1, ...expected.map(Math.abs));
      expect(found.length, law).toBe(expected.length);
      expected.forEach((x, k) => expect(Math.abs(found[k]! - x) / scale, `${law}[${k}]`).toBeLessThan(1e-12));
    }
  });
});

describe.each(["five_bar", "stewart"])("loops of %s", (name) => {
  test("stay closed while sliders move", async () => {
    const state = await robot(name);
    const start = state.q.slice();
    for (const k of state.sliders) {
      for (const step of [0.05, -0.03, 0.08]) {
        state.move(k, start[k]! + step);
        expect(state.loops!.largestResidual(state.q)).toBeLessThan(1e-10);
      }
      expect(state.move(k, start[k]! + 0.02)).toBe(true);
      expect(state.q[k]).toBeCloseTo(start[k]! + 0.02, 12);
    }
  });

  test("stay closed while a frame is dragged, which comes nearer", async () => {
    const state = await robot(name);
    const frame = state.robot.frames.findIndex((own) => own.law !== "");
    const home = state.framePlace(frame);
    const target = home.map((x, i) => x + (name === "five_bar" && i === 0 ? 0 : 0.04));
    const distance = () => Math.hypot(...state.framePlace(frame).map((x, i) => x - target[i]!));
    const before = distance();
    for (let k = 0; k < 20; k++) {
      state.drag(frame, target);
      expect(state.loops!.largestResidual(state.q)).toBeLessThan(1e-10);
    }
    expect(distance()).toBeLessThan(0.1 * before);
  });

  test("a place out of reach leaves the robot closed", async () => {
    const state = await robot(name);
    const frame = state.robot.frames.findIndex((own) => own.law !== "");
    for (let k = 0; k < 40; k++) state.drag(frame, [30, 20, 40]);
    expect(state.q.every(Number.isFinite)).toBe(true);
    expect(state.loops!.largestResidual(state.q)).toBeLessThan(1e-10);
  });
});

test("limits hold while a frame is dragged", async () => {
  const state = await robot("puma560");
  const frame = state.robot.frames.findIndex((own) => own.law !== "");
  for (const [k, { upper }] of state.robot.coordinates.slice(0, 3).entries()) {
    const beyond = Float64Array.from(state.robot.q);
    beyond[k] = upper! + 0.5; // the frame can be there, the joint cannot
    const target = state.framePlace(frame, beyond);
    beyond[k] = upper! - 0.02;
    state.set(beyond);
    for (let step = 0; step < 30; step++) state.drag(frame, target);
    state.robot.coordinates.forEach((own, i) => {
      expect(state.q[i]!).toBeGreaterThanOrEqual(own.lower! - 1e-12);
      expect(state.q[i]!).toBeLessThanOrEqual(own.upper! + 1e-12);
    });
  }
});

const zero = () => 0;
const standing = (state: RobotState) => ({
  q: state.q,
  v: new Float64Array(state.robot.nv),
  torques: Array(state.robot.nv).fill(zero),
  gravity: state.robot.gravity,
  duration: 0.1,
  step: 0.01,
});

test("a gear without loops moves by the reduced equation of motion T' M T a = T' (tau - h - g)", async () => {
  const state = await robot("geared_2r"); // q2 = 2 q1, so that T = (1, 2)
  const { laws, robot: own } = state;
  const [q, v, tau] = [[0.3, 0.6], [0.8, 1.6], [1, 0.2]];
  const M = laws!.law("mass_matrix")(q).slice();
  const [h, g] = [laws!.law("velocity_forces")(q, v).slice(), laws!.law("gravity_forces")(q).slice()];
  const force = tau[0]! - h[0]! - g[0]! + 2 * (tau[1]! - h[1]! - g[1]!);
  const a = force / (M[0]! + 2 * (M[1]! + M[2]!) + 4 * M[3]!);
  const found = laws!.law("forward_dynamics")(q, v, tau, own.gravity).slice();
  expect(found[0]).toBeCloseTo(a, 11);
  expect(found[1]).toBeCloseTo(2 * a, 11);
  expect(laws!.law("reduced_mass_matrix")(q)[0]).toBeCloseTo(M[0]! + 2 * (M[1]! + M[2]!) + 4 * M[3]!, 11);
});

test.each(["geared_2r", "five_bar", "stewart"])("%s starts with the independent velocities given", async (name) => {
  const state = await robot(name);
  const { independent, equations } = state.robot.loops!;
  const v = new Float64Array(state.robot.nv);
  independent.forEach((k, i) => (v[k] = 0.4 - 0.1 * i));
  const start = simulate(state, { ...standing(state), v, duration: 0.001, step: 0.001 });
  for (const k of independent) expect(start.v[0]![k]).toBe(v[k]);
  const J = state.loops!.jacobianAt(start.q[0]!);
  for (const row of equations)
    expect(start.v[0]!.reduce((sum, x, k) => sum + J[row * state.robot.nv + k]! * x, 0)).toBeCloseTo(0, 10);
  expect(start.v[1]![independent[0]!]).not.toBe(0);
});

test("a simulation ends where its loops open, and does not begin with open ones", async () => {
  const state = await robot("five_bar");
  const close = state.loops!.close.bind(state.loops);
  let calls = 0;
  state.loops!.close = (q, held) => (++calls > 4 ? null : close(q, held));
  const motion = simulate(state, standing(state));
  expect(motion.opened).toBe(true);
  expect(motion.stopped).toBeCloseTo(0.03, 12);
  expect([motion.times.length, motion.q.length, motion.kinetic.length]).toEqual([4, 4, 4]);
  expect(() => simulate(state, standing(state))).toThrow("cannot be closed");
});

test("a residual that is not a number is no small residual", async () => {
  const state = await robot("five_bar");
  const laws = { law: () => () => Float64Array.of(NaN, 1e-20) } as unknown as NonNullable<typeof state.laws>;
  const loops = new LoopClosure(laws, state.robot.loops!, state.robot.nv);
  expect(loops.largestResidual(state.q)).toBeNaN();
  expect(loops.close(state.q)).toBeNull();
});

test("a falling robot keeps its energy, and halving the step divides its drift by 16", async () => {
  const drift = async (name: string, step: number) => {
    const state = await robot(name);
    const { nv, gravity } = state.robot;
    const options = { q: state.q, v: new Float64Array(nv), torques: Array(nv).fill(zero), gravity, duration: 0.4, step };
    const motion = simulate(state, options);
    const total = motion.kinetic.map((x, k) => x + motion.potential[k]!);
    return Math.abs(total[total.length - 1]! - total[0]!);
  };
  const [coarse, fine] = [await drift("planar_2r", 0.02), await drift("planar_2r", 0.01)];
  expect(coarse / fine).toBeGreaterThan(12);
  expect(await drift("five_bar", 0.001)).toBeLessThan(1e-7);
  expect(await drift("geared_2r", 0.002)).toBeLessThan(1e-7);
  expect(await drift("humanoid_32", 0.004)).toBeLessThan(1e-3);
});

test("joint forces are formulas of time, positions and velocities", async () => {
  const state = await robot("planar_2r");
  const { nv, nq, names, gravity } = state.robot;
  const known = ["t", ...names.q, ...names.v];
  const torques = [parseFormula(`3*sin(t) - ${names.v[0]}`, known), parseFormula(`${names.q[1]}*t`, known)];
  const motion = simulate(state, { q: state.q, v: new Float64Array(nv), torques, gravity, duration: 0.1, step: 0.01 });
  const last = motion.q.length - 1;
  expect(motion.tau[last]![0]).toBeCloseTo(3 * Math.sin(0.1) - motion.v[last]![0]!, 12);
  expect(motion.tau[last]![1]).toBeCloseTo(motion.q[last]![1]! * 0.1, 12);
  expect(nq).toBe(2);
});

test("without gravity a robot at rest stays", async () => {
  const state = await robot("puma560");
  const nv = state.robot.nv;
  const rest = { q: state.q, v: new Float64Array(nv), torques: Array(nv).fill(zero), duration: 0.2, step: 0.01 };
  const motion = simulate(state, { ...rest, gravity: [0, 0, 0] });
  motion.q[motion.q.length - 1]!.forEach((x, k) => expect(x).toBeCloseTo(state.q[k]!, 12));
});

test("manipulability of a planar arm is l1 l2 |sin q2|, and its stretched arm is found as singular", async () => {
  const state = await robot("planar_2r");
  const frame = state.robot.frames.findIndex((own) => own.law !== "");
  const rank = structuralRank(state, frame, 3);
  expect(rank).toBe(2);
  const place = (q: number[]) => Math.hypot(...state.framePlace(frame, q).map((x, i) => x - state.framePlace(frame, [q[0]!, q[1]! + Math.PI])[i]!)) / 2;
  const l2 = place([0.3, 0.8]);
  const [far, near] = [0, Math.PI].map((q2) => Math.hypot(...state.framePlace(frame, [0, q2])));
  const l1 = (far! + near!) / 2;
  for (const q2 of [0.4, 1.2, -2.0]) {
    state.set([0.3, q2]);
    expect(manipulability(state, frame, rank, 3)!.measure).toBeCloseTo(l1 * l2 * Math.abs(Math.sin(q2)), 12);
  }
  state.set([0.3, 0.6]);
  const q = nearbySingularity(state, frame, rank, 3)!;
  expect(Math.abs(Math.sin(q[1]!))).toBeLessThan(1e-3);
});

test("a closed robot's manipulability is over its motors, and its loops stay closed", async () => {
  const state = await robot("five_bar");
  const frame = state.robot.frames.findIndex((own) => own.law !== "");
  const rank = structuralRank(state, frame, 3);
  expect(rank).toBe(2);
  const q = nearbySingularity(state, frame, rank, 3);
  expect(q).not.toBeNull();
  expect(state.loops!.largestResidual(q!)).toBeLessThan(1e-10);
  expect(manipulability(state, frame, rank, 3, q!)!.isotropy).toBeLessThan(1e-4);
});

test("loops of a five-bar linkage are singular where its distal links are aligned", async () => {
  const state = await robot("five_bar");
  const at = (name: string, q: ArrayLike<number>) => q[state.robot.names.q.indexOf(name)]!;
  const aligned = (q: ArrayLike<number>) =>
    Math.abs(Math.sin(at("left_motor", q) + at("left_elbow", q) - at("right_motor", q) - at("right_elbow", q)));
  expect(aligned(state.q)).toBeGreaterThan(0.1);
  expect(loopRegularity(state)).toBeGreaterThan(0.1);
  // The elbows, 0.3 m from motors 0.2 m apart, meet above the middle: the distal links then coincide.
  const [left, right] = ["left_motor", "right_motor"].map((name) => state.robot.names.q.indexOf(name)) as [number, number];
  const [from, half] = [[state.q[left]!, state.q[right]!], Math.asin(0.1 / 0.3)];
  let q = state.q;
  for (let k = 1; k <= 20; k++) {
    const share = Math.min(k / 20, 1 - 1e-5);
    const next = q.slice();
    next[left] = from[0]! + share * (Math.PI / 2 - half - from[0]!);
    next[right] = from[1]! + share * (Math.PI / 2 + half - from[1]!);
    q = state.loops!.close(next, [left, right])!;
  }
  expect(aligned(q)).toBeLessThan(1e-3);
  expect(loopRegularity(state, q)).toBeLessThan(1e-3);
});
