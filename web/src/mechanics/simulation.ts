// A small simulation in the page: classical Runge-Kutta with fixed steps, loops projected after each step.
// `rikigaku.simulate` is the engine; this one has no contacts, no events and no error control.

import type { Evaluated } from "../formula/formula_parser";
import type { RobotState } from "./robot_state";

export interface SimulationOptions {
  q: ArrayLike<number>;
  /** Of a closed robot the independent coordinates count; the loops determine the others. */
  v: ArrayLike<number>;
  /** One function of (t, q, v) for each element of tau, values in this order. */
  torques: Evaluated[];
  gravity: ArrayLike<number>;
  duration: number;
  step: number;
}

export interface Recording {
  times: Float64Array;
  q: Float64Array[];
  v: Float64Array[];
  tau: Float64Array[];
  /** Kinetic and potential energy [J]; without the laws, empty. */
  kinetic: Float64Array;
  potential: Float64Array;
  /** The time of the last step, if the state was not finite or the loops were open after it. */
  stopped?: number;
  /** Whether it stopped because Newton's method could not close the loops. */
  opened?: boolean;
}

export const MOST_STEPS = 200_000;

/** The motion from q and v; the result has all steps. */
export function simulate(state: RobotState, options: SimulationOptions): Recording {
  const { laws, robot, loops } = state;
  if (!laws?.has("forward_dynamics") || !laws.has("configuration_rate"))
    throw new Error(`Robot '${robot.name}' has no forward dynamics in this page.`);
  const dynamics = laws.law("forward_dynamics");
  const rate = laws.law("configuration_rate");
  const [kinetic, potential] = [laws.find("kinetic_energy"), laws.find("potential_energy")];
  const { nq, nv } = robot;
  const count = Math.max(1, Math.min(MOST_STEPS, Math.round(options.duration / options.step)));
  const h = options.duration / count;
  const input = new Float64Array(1 + nq + nv);
  const torque = (t: number, q: Float64Array, v: Float64Array): Float64Array => {
    input[0] = t;
    input.set(q, 1);
    input.set(v, 1 + nq);
    return Float64Array.from(options.torques, (f) => f(input));
  };
  const field = (t: number, q: Float64Array, v: Float64Array) => ({
    q: rate(q, v).slice(),
    v: dynamics(q, v, torque(t, q, v), options.gravity).slice(),
  });

  const recording: Recording = {
    times: new Float64Array(count + 1),
    q: [],
    v: [],
    tau: [],
    kinetic: new Float64Array(kinetic ? count + 1 : 0),
    potential: new Float64Array(potential ? count + 1 : 0),
  };
  let q: Float64Array = Float64Array.from(options.q as ArrayLike<number>);
  let v: Float64Array = Float64Array.from(options.v as ArrayLike<number>);
  if (loops) {
    const closed = loops.close(q, loops.structure.independent) ?? loops.close(q);
    if (!closed) throw new Error(`The loops of robot '${robot.name}' cannot be closed at this configuration.`);
    const completed = loops.completedVelocity(closed, v);
    if (!completed)
      throw new Error(`The velocities of ${named(state)} do not determine the others here: move the robot a little.`);
    [q, v] = [closed, completed];
  }
  for (let k = 0; k <= count; k++) {
    const t = k * h;
    recording.times[k] = t;
    recording.q.push(q);
    recording.v.push(v);
    recording.tau.push(torque(t, q, v));
    if (kinetic) recording.kinetic[k] = kinetic(q, v)[0]!;
    if (potential) recording.potential[k] = potential(q)[0]!;
    if (k === count) break;
    const k1 = field(t, q, v);
    const k2 = field(t + h / 2, moved(q, k1.q, h / 2), moved(v, k1.v, h / 2));
    const k3 = field(t + h / 2, moved(q, k2.q, h / 2), moved(v, k2.v, h / 2));
    const k4 = field(t + h, moved(q, k3.q, h), moved(v, k3.v, h));
    q = q.map((x, i) => x + (h / 6) * (k1.q[i]! + 2 * k2.q[i]! + 2 * k3.q[i]! + k4.q[i]!));
    v = v.map((x, i) => x + (h / 6) * (k1.v[i]! + 2 * k2.v[i]! + 2 * k3.v[i]! + k4.v[i]!));
    normalise(q, state);
    if (loops) {
      const closed = loops.close(q);
      if (!closed) {
        const opened = q.every(Number.isFinite);
        return { ...cut(recording, k + 1), stopped: t, opened };
      }
      q = closed;
      v = loops.projectedVelocity(q, v); // takes away the drift of a step
    }
    if (!q.every(Number.isFinite) || !v.every(Number.isFinite)) {
      return { ...cut(recording, k + 1), stopped: t };
    }
  }
  return recording;
}

/** The independent velocities of a closed robot. */
function named({ robot }: RobotState): string {
  return robot.loops!.independent.map((k) => robot.names.v[k]!).join(", ");
}

function moved(x: Float64Array, rate: Float64Array, h: number): Float64Array {
  return x.map((value, k) => value + h * rate[k]!);
}

/** Quaternions of length one. */
function normalise(q: Float64Array, { robot }: RobotState): void {
  const kinds = robot.coordinates;
  for (let k = 0; k < q.length; k++) {
    if (kinds[k]!.kind !== "quaternion") continue;
    const length = Math.hypot(q[k]!, q[k + 1]!, q[k + 2]!, q[k + 3]!);
    for (let i = 0; i < 4; i++) q[k + i]! /= length;
    k += 3;
  }
}

function cut(recording: Recording, count: number): Recording {
  return {
    ...recording,
    times: recording.times.slice(0, count),
    kinetic: recording.kinetic.slice(0, count),
    potential: recording.potential.slice(0, count),
  };
}
