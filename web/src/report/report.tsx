// The live report: Python wrote the page; this makes its picture, formulas, values and simulation live.

import { render } from "preact";
import type { PageDocument } from "../document/model_document";
import { RobotState } from "../mechanics/robot_state";
import { Sliders } from "../panels/sliders";
import { SimulationPanel } from "../panels/simulation_panel";
import { ViewerBar } from "../panels/viewer_bar";
import { LANGUAGES, TEXTS, language, setLanguage, text, type Language } from "../texts/texts";
import { Viewer } from "../viewer/viewer";
import { addCopyButtons, renderFormulas } from "./formulas";
import { followValues } from "./live_values";
import { addThemeButton } from "./theme";

export interface LiveReport {
  state: RobotState | null;
  viewer: Viewer | null;
}

const element = (id: string) => document.getElementById(id);

/** The document in the page's block of JSON. */
function pageDocument(): PageDocument {
  const block = element("rikigaku-document");
  if (!block?.textContent) throw new Error("The page has no data block 'rikigaku-document'.");
  return JSON.parse(block.textContent) as PageDocument;
}

/** Make the page live; rejects only where the page has no data. */
export async function mountReport(): Promise<LiveReport> {
  const page = pageDocument();
  document.documentElement.classList.add("rk-live");
  setLanguage(page.language);
  const live: LiveReport = { state: null, viewer: null };
  try {
    if (page.robot) await mountRobot(page.robot, live);
  } catch (error) {
    failed(error);
  }
  addLanguageButtons();
  const theme = element("rk-theme");
  if (theme) addThemeButton(theme, () => live.viewer?.recolor());
  renderFormulas(document);
  addCopyButtons(document);
  return live;
}

async function mountRobot(robot: NonNullable<LiveReport["state"]>["robot"], live: LiveReport): Promise<void> {
  const [picture, controls, bar, simulation] = ["rk-viewer", "rk-controls", "rk-bar", "rk-simulation"].map(element);
  const state = (live.state = await RobotState.of(robot));
  if (picture) {
    try {
      live.viewer = mountViewer(picture, bar ?? null, state);
    } catch (error) {
      failed(error); // without WebGL the picture that Python drew stays; formulas, values and simulation live
    }
  }
  for (const place of [controls, simulation]) place?.replaceChildren(); // what readers without scripts see
  if (controls) render(<Sliders state={state} />, controls);
  if (simulation) render(<SimulationPanel state={state} viewer={live.viewer} />, simulation);
  followValues(document, state);
}

function mountViewer(picture: HTMLElement, bar: HTMLElement | null, state: RobotState): Viewer {
  const fallback = [...picture.childNodes];
  const viewer = new Viewer(picture, state);
  for (const node of fallback) node.remove();
  viewer.canvas.setAttribute("role", "application");
  viewer.canvas.setAttribute("aria-label", `${state.robot.name}. ${text("viewer.help")}`);
  keepInSight(picture);
  if (bar) render(<ViewerBar viewer={viewer} />, bar);
  return viewer;
}

function failed(error: unknown): void {
  const note = element("rk-failure");
  if (note) note.textContent = text("page.failed", { error: String(error) });
}

/** Beside the plots of a motion while its own place is out of sight. */
function keepInSight(picture: HTMLElement): void {
  const place = picture.closest<HTMLElement>(".rk-place");
  if (!place) return;
  let away = false;
  const settle = () => {
    const playing = document.documentElement.classList.contains("rk-playing");
    const target = (away && playing && document.querySelector<HTMLElement>(".rk-film")) || place;
    if (picture.parentElement !== target) target.append(picture);
  };
  document.addEventListener("rk-playback", settle);
  new IntersectionObserver(([entry]) => {
    away = !entry!.isIntersecting;
    settle();
  }).observe(place);
}

function addLanguageButtons(): void {
  const holder = element("rk-languages");
  if (!holder) return;
  for (const name of LANGUAGES) {
    const button = document.createElement("button");
    button.type = "button";
    button.lang = name;
    button.textContent = TEXTS[name]["language.name"];
    const press = () => button.setAttribute("aria-pressed", String(language() === name));
    button.addEventListener("click", () => {
      setLanguage(name as Language);
      for (const other of holder.querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === button));
    });
    press();
    holder.append(button);
  }
}
