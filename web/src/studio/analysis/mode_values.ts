// Values of the dependent coordinates of assembly modes: what tells modes apart whose pictures look alike.

import type { Coordinate } from "../../document/model_document";
import { isAngle, shown } from "../../panels/sliders";

export interface ModeValue {
  name: string;
  value: string;
  /** Whether assembly modes differ in this coordinate. */
  differs: boolean;
}

const SAME = 1e-6; // [rad, m]

function apart(coordinate: Coordinate, a: number, b: number): boolean {
  const difference = Math.abs(a - b);
  if (!isAngle(coordinate)) return difference > SAME;
  const rest = difference % (2 * Math.PI);
  return Math.min(rest, 2 * Math.PI - rest) > SAME;
}

/** For each mode the coordinates that the loops determine, at most `most` of them, differing ones first. */
export function modeValues(coordinates: readonly Coordinate[], followers: readonly number[], modes: readonly ArrayLike<number>[], most: number): ModeValue[][] {
  const first = modes[0];
  const differing = new Set(followers.filter((k) => modes.some((q) => apart(coordinates[k]!, q[k]!, first![k]!))));
  const listed = [...followers].sort((a, b) => Number(differing.has(b)) - Number(differing.has(a)) || a - b).slice(0, most);
  return modes.map((q) =>
    listed.map((k) => ({ name: coordinates[k]!.name, value: shown(coordinates[k]!, q[k]!), differs: differing.has(k) })),
  );
}
