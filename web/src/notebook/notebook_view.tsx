// The notebook's host: the robot of a widget's model in a cell, its configuration in step with Python.

import { render as mount } from "preact";
import { useState } from "preact/hooks";
import plotStyle from "uplot/dist/uPlot.min.css?inline";
import type { Motion, RobotDocument } from "../document/model_document";
import { RobotState } from "../mechanics/robot_state";
import { MotionPlayer } from "../panels/motion_player";
import { Sliders } from "../panels/sliders";
import { ViewerBar } from "../panels/viewer_bar";
import notebookStyle from "../styles/notebook.css?inline";
import pageStyle from "../styles/page.css?inline";
import { setLanguage, text, titleText, type Language } from "../texts/texts";
import { Viewer } from "../viewer/viewer";
import { followTheme } from "./notebook_theme";

/** The part of a widget's model that is used here, as anywidget gives it. */
export interface WidgetModel {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
}

const NONE: never[] = [];
const SYNC = 60; // shortest time between messages to Python [ms]
const ECHO = 3000; // longest time until a kernel returns a message [ms]

/** Style sheets of pages for a shadow tree: they must not reach the notebook around it. */
const style = [plotStyle, pageStyle, notebookStyle]
  .join("\n")
  .replaceAll(/:root(:not\([^)]*\]\)|\[[^\]]*\])?/g, (_, part: string | undefined) => (part ? `:host(${part})` : ":host"))
  .replaceAll(/(^|[\s,}])body(?=\s*[{,])/g, "$1.rk-notebook");

export function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  const host = document.createElement("div");
  host.dataset["lmSuppressShortcuts"] = "true"; // keys of the picture and its sliders are not JupyterLab's commands
  el.append(host);
  const root = host.attachShadow({ mode: "open" });
  const sheet = document.createElement("style");
  sheet.textContent = style;
  const place = document.createElement("div");
  place.className = "rk-notebook";
  root.append(sheet, place);
  let end: (() => void) | null = null;
  let count = 0;
  const start = async () => {
    const own = ++count;
    end?.();
    end = null;
    place.replaceChildren();
    try {
      const made = await mounted(model, host, place, () => own === count);
      if (own === count) end = made;
      else made();
    } catch (error) {
      const note = document.createElement("p");
      note.className = "rk-problem";
      note.textContent = text("page.failed", { error: String(error) });
      place.replaceChildren(note);
    }
  };
  model.on("change:document", start);
  void start();
  return () => {
    count++;
    model.off("change:document", start);
    end?.();
    host.remove();
  };
}

async function mounted(model: WidgetModel, host: HTMLElement, place: HTMLElement, wanted: () => boolean): Promise<() => void> {
  const robot = model.get("document") as RobotDocument;
  setLanguage(model.get("language") as Language, place);
  const state = await RobotState.of(robot);
  if (!wanted()) return () => undefined;
  const part = (name: string) => {
    const made = document.createElement("div");
    made.className = name;
    place.append(made);
    return made;
  };
  const [picture, side, below] = [part("rk-cell-picture"), part("rk-cell-side"), part("rk-cell-below")];
  picture.style.height = `${model.get("height") as number}px`;
  side.style.maxHeight = picture.style.height;
  const viewer = new Viewer(picture, state);
  viewer.canvas.setAttribute("role", "application");
  viewer.canvas.setAttribute("aria-label", `${robot.name}. ${text("viewer.help")}`);
  mount(<Sliders state={state} />, side);
  mount(<Below state={state} viewer={viewer} />, below);
  const endTheme = followTheme(host, () => viewer.recolor());
  const endSync = inStep(model, state);
  return () => {
    endSync();
    endTheme();
    for (const own of [side, below]) mount(null, own);
    viewer.dispose();
    place.replaceChildren();
  };
}

/** The buttons below the picture, and the motions of the document. */
function Below({ state, viewer }: { state: RobotState; viewer: Viewer }) {
  const { motions } = state.robot;
  const [shown, setShown] = useState<Motion | null>(motions[0] ?? null);
  return (
    <>
      <ViewerBar viewer={viewer} opened />
      {motions.length > 1 && (
        <div class="rk-motions">
          {motions.map((motion) => (
            <button type="button" aria-pressed={motion === shown} onClick={() => setShown(motion)}>
              {titleText(motion.title)}
            </button>
          ))}
        </div>
      )}
      {shown && <MotionPlayer state={state} viewer={viewer} motion={shown} plots={NONE} events={NONE} key={shown.title} />}
    </>
  );
}

/** Keep q of the model and of the robot equal. While a motion plays there is no message; its end is one. */
function inStep(model: WidgetModel, state: RobotState): () => void {
  let waiting = 0;
  let ours = false;
  const sent = new Map<string, number>();
  const differs = (q: ArrayLike<number>) => q.length !== state.q.length || state.q.some((x, k) => x !== q[k]);
  const send = () => {
    waiting = 0;
    for (const [key, at] of sent) if (performance.now() - at > ECHO) sent.delete(key);
    if (state.playing || !differs(model.get("q") as number[])) return;
    ours = true;
    sent.set(String(state.q), performance.now());
    model.set("q", Array.from(state.q));
    model.save_changes();
    ours = false;
  };
  const receive = () => {
    const q = model.get("q") as number[];
    if (ours || waiting || !differs(q)) return;
    // Kernels return what they were sent, late: such a message would undo what the reader has done since.
    const at = sent.get(String(q));
    sent.delete(String(q));
    if (at !== undefined && performance.now() - at < ECHO) return;
    state.set(q);
  };
  const end = state.subscribe(() => {
    if (!state.playing) waiting ||= window.setTimeout(send, SYNC);
  });
  model.on("change:q", receive);
  receive();
  return () => {
    end();
    clearTimeout(waiting);
    model.off("change:q", receive);
  };
}

export default { render };
