// Colours of a robot's picture, as in `plot()`.

export type Rgb = readonly [number, number, number];

export const BAR: Rgb = [0.62, 0.68, 0.75];
export const JOINTS: Record<string, Rgb> = {
  revolute: [0.91, 0.49, 0.2],
  prismatic: [0.2, 0.52, 0.8],
  helical: [0.25, 0.62, 0.47],
  spherical: [0.83, 0.33, 0.42],
};
export const CLOSURE: Rgb = [0.53, 0.35, 0.8];
export const MASS: Rgb = [0.95, 0.77, 0.2];
export const TRIAD: readonly Rgb[] = [
  [0.84, 0.24, 0.24],
  [0.22, 0.62, 0.3],
  [0.22, 0.38, 0.84],
];
export const HANDLE: Rgb = [0.93, 0.36, 0.12];
export const LIMIT: Rgb = [0.86, 0.55, 0.25];
export const FORCE: Rgb = [0.2, 0.62, 0.35];
export const CONTACT: Rgb = [0.13, 0.32, 0.22];
export const SURFACE: Rgb = [0.55, 0.6, 0.66];
export const BEAM: Rgb = [0.3, 0.45, 0.62];
export const REST: Rgb = [0.55, 0.6, 0.65];
export const RAIL: Rgb = [0.42, 0.47, 0.53];
/** Ghosts of different configurations. */
export const BRANCHES: readonly number[] = [0x2a72b8, 0x2f8f57, 0x8a55c4, 0xb8860b, 0xc2417a, 0x12868a, 0x6b7280];

export const hex = (color: Rgb): number =>
  (Math.round(color[0] * 255) << 16) | (Math.round(color[1] * 255) << 8) | Math.round(color[2] * 255);
