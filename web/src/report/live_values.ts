// Values that follow the robot while they can be seen: tables with data-law, lists of configurations in blocks
// with data-branches, the distance from singularity of the frame in data-singularity.

import type { Law } from "../laws/law_module";
import { existing } from "../mechanics/branches";
import { manipulability } from "../mechanics/manipulability";
import type { RobotState } from "../mechanics/robot_state";
import { numberText } from "../panels/number_text";

/** The inputs of a law at the present state, by their names and sizes. */
export function inputsOf(law: Law, state: RobotState): ArrayLike<number>[] {
  const rates = state.rates;
  return law.signature.inputs.map((port) => {
    const size = port.shape.reduce((a, b) => a * b, 1);
    if (port.name === "q") return state.q;
    if (port.name === "gravity") return state.robot.gravity;
    const [own, all] = port.name === "v" ? [state.v, rates.v] : port.name === "a" ? [state.a, rates.a] : [];
    if (all?.length === size) return all;
    if (own?.length === size) return own;
    return new Float64Array(size);
  });
}

function setText(place: Element, text: string): void {
  if (place.textContent !== text) place.textContent = text;
}

function showCells(table: HTMLElement, values: Float64Array): void {
  const cells = table.querySelectorAll("td");
  for (let k = 0; k < cells.length && k < values.length; k++) setText(cells[k]!, numberText(values[k]!));
}

/** Numbered rows in the body of the table. */
function showRows(holder: HTMLElement, rows: number[][]): void {
  const body = holder.querySelector("tbody");
  body?.replaceChildren(
    ...rows.map((row, k) => {
      const line = document.createElement("tr");
      for (const shown of [String(k + 1), ...row.map(numberText)]) line.insertCell().textContent = shown;
      return line;
    }),
  );
}

/** What is shown in one element of the page: a table of a law, a list of configurations, a number. */
interface LiveElement {
  place: HTMLElement;
  update: () => void;
}

function liveElements(root: ParentNode, state: RobotState): LiveElement[] {
  const found: LiveElement[] = [];
  const add = (name: string, update: (place: HTMLElement, value: string) => (() => void) | null) => {
    for (const place of root.querySelectorAll<HTMLElement>(`[data-${name}]`)) {
      const own = update(place, place.dataset[name]!);
      if (own) found.push({ place, update: own });
    }
  };
  const ofLaw = (name: string, show: (values: Float64Array) => void) => {
    const law = state.laws?.find(name);
    return law ? () => show(law(...inputsOf(law, state))) : null;
  };
  add("law", (place, name) => ofLaw(name, (values) => showCells(place, values)));
  add("branches", (place, name) => ofLaw(name, (values) => showRows(place, existing(values, state.robot.nq))));
  add("singularity", (place, name) => {
    const frame = state.robot.frames.findIndex((one) => one.name === name);
    if (!state.robot.frames[frame]?.law) return null;
    const rank = Math.min(6, state.robot.nv);
    return () => setText(place, numberText(manipulability(state, frame, rank, 6)?.isotropy ?? 0));
  });
  return found;
}

/** Keep all values below `root` at the state; returns a function that ends this. */
export function followValues(root: ParentNode, state: RobotState): () => void {
  const elements = liveElements(root, state);
  const seen = new Set<Element>();
  const stale = new Set<LiveElement>();
  let waiting = 0;
  const update = () => {
    waiting = 0;
    for (const element of stale) {
      if (!seen.has(element.place)) continue;
      stale.delete(element);
      element.update();
    }
  };
  const request = () => (waiting ||= requestAnimationFrame(update));
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries)
      if (isIntersecting) seen.add(target);
      else seen.delete(target);
    request();
  });
  for (const { place } of elements) observer.observe(place);
  const end = state.subscribe(() => {
    for (const element of elements) stale.add(element);
    request();
  });
  return () => {
    observer.disconnect();
    end();
  };
}
