// The entry of the built file: a report starts by itself; other hosts use what is exported.

import "katex/dist/katex.css";
import "uplot/dist/uPlot.min.css";
import "./styles/page.css";
import "./styles/studio.css";
import "./styles/analysis.css";
import { mountReport, type LiveReport } from "./report/report";
import { mountStudio } from "./studio/shell";
import type { Studio } from "./studio/studio";

export { LawModule, decoded } from "./laws/law_module";
export { RobotState } from "./mechanics/robot_state";
export { simulate } from "./mechanics/simulation";
export { parseFormula } from "./formula/formula_parser";
export { Viewer } from "./viewer/viewer";
export { mountReport } from "./report/report";
export { renderFormulas } from "./report/formulas";
export { setLanguage, text } from "./texts/texts";
export { default as katex } from "katex";

/** The report of this page, once it is live. */
export let live: Promise<LiveReport> | null = null;

if (typeof document !== "undefined" && document.documentElement.dataset["host"] === "report")
  live = firstPaint().then(() => mountReport());

/** The studio of this page. */
export let studio: Studio | null = null;

const place = typeof document === "undefined" ? null : document.getElementById("rk-studio");
if (place) studio = mountStudio(place);

/** After the browser has shown the page that Python wrote: its picture comes first, WebGL takes longer. */
function firstPaint(): Promise<void> {
  return new Promise((ready) => {
    requestAnimationFrame(() => setTimeout(ready));
    setTimeout(ready, 300); // tabs in the background draw no frames
  });
}
