// Plots over time with uPlot, in the colours of the page.

import uPlot from "uplot";

export const CURVES = ["#c05a1a", "#2a72b8", "#2f8f57", "#8a55c4", "#b8860b", "#c2417a", "#12868a", "#6b7280"];

export interface Curve {
  name: string;
  /** null: a gap. */
  values: ArrayLike<number | null>;
}

/** uPlot leaves a gap where a value is null. */
const finite = (x: number | null) => (x !== null && Number.isFinite(x) ? x : null);

/**
 * A plot in the element; returns the plot, to be destroyed or given a cursor.
 * overlay draws above the curves; onTime is called with the time of a click.
 */
export function plot(
  host: HTMLElement,
  title: string,
  times: Float64Array,
  curves: Curve[],
  overlay?: (chart: uPlot) => void,
  onTime?: (time: number) => void,
): uPlot {
  const style = getComputedStyle(host);
  const color = (name: string, otherwise: string) => style.getPropertyValue(name).trim() || otherwise;
  const axis = {
    stroke: color("--rk-soft", "#616e7c"),
    grid: { stroke: color("--rk-line", "#d9dfe6"), width: 1 },
    ticks: { stroke: color("--rk-line", "#d9dfe6"), width: 1 },
    font: "11px system-ui, sans-serif",
  };
  const options: uPlot.Options = {
    title,
    width: Math.max(200, host.clientWidth),
    height: 210,
    pxAlign: 0, // curves between pixels: not in stairs
    scales: { x: { time: false } },
    axes: [axis, { ...axis, size: 56 }],
    cursor: { drag: { x: false, y: false } },
    hooks: {
      draw: overlay ? [overlay] : [],
      ready: onTime ? [(chart) => chart.over.addEventListener("click", () => onTime(chart.posToVal(chart.cursor.left ?? 0, "x")))] : [],
    },
    legend: { show: curves.length <= 8, live: !overlay },
    series: [
      { label: "t" },
      ...curves.map((curve, k) => ({
        label: curve.name,
        stroke: CURVES[k % CURVES.length]!,
        width: 1.6,
        pxAlign: 0,
        points: { show: false },
        value: (_: uPlot, x: number | null) => (x === null ? "" : x.toPrecision(4)),
      })),
    ],
  };
  return new uPlot(options, [times, ...curves.map((curve) => Array.from(curve.values, finite))], host);
}
