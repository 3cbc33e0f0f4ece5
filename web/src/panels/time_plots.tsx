// Plots over time that share a cursor: events are marked, a click moves the motion to that time.

import { useEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";
import { TEXTS, text, type TextKey } from "../texts/texts";
import { plot } from "./plot";
import { useLanguage } from "./use_page";

export interface TimePlot {
  title: string;
  unit: string;
  times: number[];
  curves: { name: string; values: (number | null)[] }[];
}

/** The text of a key; other names stay as they are. */
export const named = (name: string): string => (name in TEXTS.en ? text(name as TextKey) : name);

interface Properties {
  plots: readonly TimePlot[];
  /** Times of events [s]. */
  marks: readonly number[];
  /** The function that the player calls with the time that is shown. */
  follow: { current: (time: number) => void };
  onTime: (time: number) => void;
}

export function TimePlots({ plots, marks, follow, onTime }: Properties) {
  useLanguage();
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const own = host.current!;
    const shown = plots.filter((one) => one.curves.some(({ values }) => values.some((x) => x)));
    const places = shown.map(() => {
      const place = document.createElement("div");
      place.className = "rk-plot";
      own.append(place);
      return place;
    });
    let time = 0;
    const drawn: uPlot[] = shown.map((one, k) => {
      const curves = one.curves.map(({ name, values }) => ({ name: named(name), values }));
      const title = `${named(one.title)} [${one.unit}]`;
      const line = (chart: uPlot) => vertical(chart, marks, time);
      return plot(places[k]!, title, Float64Array.from(one.times), curves, line, onTime);
    });
    follow.current = (now) => {
      time = now;
      for (const chart of drawn) chart.redraw(false);
    };
    const resized = new ResizeObserver(() =>
      drawn.forEach((chart, k) => chart.setSize({ width: Math.max(200, places[k]!.clientWidth), height: chart.height })),
    );
    resized.observe(own);
    return () => {
      follow.current = () => undefined;
      resized.disconnect();
      for (const chart of drawn) chart.destroy();
      own.replaceChildren();
    };
  }, [plots, text("language.name")]);
  return <div class="rk-plots" ref={host} />;
}

/** Lines at the events, and at the time that is shown. */
function vertical(chart: uPlot, marks: readonly number[], time: number): void {
  const { ctx, bbox } = chart;
  const style = getComputedStyle(chart.root);
  const stroke = (at: number, color: string, width: number) => {
    const x = Math.round(chart.valToPos(at, "x", true));
    ctx.strokeStyle = color;
    ctx.lineWidth = width * devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  };
  ctx.save();
  const grey = style.getPropertyValue("--rk-grid").trim() || "#93a1b0";
  for (const mark of marks.slice(0, 200)) stroke(mark, grey, 0.7);
  stroke(time, style.getPropertyValue("--rk-accent").trim() || "#b34d10", 1.4);
  ctx.restore();
}
