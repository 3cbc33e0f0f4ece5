// Numbers as pages write them.

/** A number as pages write it, with five digits. */
export function numberText(x: number): string {
  if (Math.abs(x) < 5e-13) return "0";
  const size = Math.abs(x);
  return size >= 1e5 || size < 1e-4 ? x.toExponential(4) : String(Number(x.toPrecision(5)));
}
