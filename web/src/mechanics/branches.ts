// Configurations of a set that a law computes from q: branches of inverse kinematics at the present pose.

import type { NamedConfigurations } from "../document/model_document";
import type { RobotState } from "./robot_state";

export type Configurations = Pick<NamedConfigurations, "names" | "positions">;

/** The configurations of a set at the present q; rows that do not exist are left out. */
export function configurationsNow(set: NamedConfigurations, state: RobotState): Configurations {
  const law = set.law ? state.laws?.find(set.law) : undefined;
  if (!law) return set;
  const rows = existing(law(state.q), state.robot.nq);
  return { names: rows.map((_, k) => String(k + 1)), positions: rows };
}

/** Rows of nq numbers without those that hold NaN. */
export function existing(values: ArrayLike<number>, nq: number): number[][] {
  const rows: number[][] = [];
  for (let k = 0; k + nq <= values.length; k += nq) {
    const row = Array.from({ length: nq }, (_, i) => values[k + i]!);
    if (row.every(Number.isFinite)) rows.push(row);
  }
  return rows;
}

/** The place of the row nearest to q; angles are compared modulo a turn. */
export function nearest(positions: number[][], state: RobotState): number {
  const { coordinates } = state.robot;
  const distance = (row: number[]) =>
    row.reduce((sum, x, k) => {
      const d = x - state.q[k]!;
      return sum + Math.abs(coordinates[k]?.kind === "angle" ? Math.atan2(Math.sin(d), Math.cos(d)) : d);
    }, 0);
  let best = 0;
  positions.forEach((row, k) => {
    if (distance(row) < distance(positions[best]!)) best = k;
  });
  return best;
}
