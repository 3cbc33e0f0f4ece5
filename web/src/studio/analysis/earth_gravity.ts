// Gravity of the earth in the direction in which the robot's own gravity acts.

const EARTH = 9.81; // [m/s²]

/** 9.81 m/s² along the robot's gravity; downwards (-z) where it has none. */
export function earthGravity(own: readonly number[]): number[] {
  const size = Math.hypot(...own);
  if (size === 0) return [0, 0, -EARTH];
  if (Math.abs(size - EARTH) < 0.01 * EARTH) return [...own];
  return own.map((x) => (x === 0 ? 0 : (EARTH * x) / size));
}
