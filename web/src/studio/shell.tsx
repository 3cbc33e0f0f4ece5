// The frame of the studio: bar with file, undo and language; tabs of the screens; the picture beside them.

import { render } from "preact";
import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import { Sliders } from "../panels/sliders";
import { ViewerBar } from "../panels/viewer_bar";
import { LANGUAGES, TEXTS, language, setLanguage, text, type Language, type TextKey } from "../texts/texts";
import { Viewer } from "../viewer/viewer";
import { socketAddress } from "./address";
import { Cell } from "./cells";
import { SaveDialog, save, type SaveStep } from "./save_dialog";
import { SCREENS, type Screen, type ScreenName } from "./screens";
import { Studio } from "./studio";
import { useStudio } from "./use_studio";

const LANGUAGE = "rikigaku-language";
const THEME = "rikigaku-theme";

export function mountStudio(place: HTMLElement): Studio {
  const studio = new Studio(socketAddress());
  const root = document.documentElement;
  const known = localStorage.getItem(LANGUAGE) ?? root.lang;
  setLanguage(LANGUAGES.includes(known as Language) ? (known as Language) : "en");
  const theme = localStorage.getItem(THEME);
  if (theme) root.dataset["theme"] = theme;
  const wanted = location.hash.slice(1);
  if (SCREENS.some(({ name }) => name === wanted)) studio.screen = wanted as ScreenName;
  window.addEventListener("beforeunload", () => studio.leaving());
  render(<Shell studio={studio} />, place);
  studio.start();
  return studio;
}

/** The screen that can be shown now: the start while there is no robot. */
function shownScreen(studio: Studio): Screen {
  const wanted = SCREENS.find(({ name }) => name === studio.screen)!;
  return wanted.needs !== "nothing" && !studio.document ? SCREENS[0] : wanted;
}

function Shell({ studio }: { studio: Studio }) {
  useStudio(studio);
  const [step, setStep] = useState<SaveStep>({ kind: "closed" });
  const screen = shownScreen(studio);
  const Component = screen.component;
  useEffect(() => {
    const key = (event: KeyboardEvent) => shortcut(studio, event, setStep);
    window.addEventListener("keydown", key);
    return () => window.removeEventListener("keydown", key);
  }, [studio]);
  const waits = screen.needs === "robot" && !studio.state;
  return (
    <div class={`rk-studio rk-layout-${screen.layout} rk-screen-${screen.name}`}>
      <Bar studio={studio} save={setStep} />
      <Tabs studio={studio} shown={screen.name} />
      {!studio.connected && <Offline studio={studio} />}
      {studio.connected && studio.editsDiffer && <DifferingEdits studio={studio} />}
      {studio.message && (
        <div class="rk-message" role="status">
          <span>{studio.message}</span>
          <button type="button" aria-label={text("studio.closeMessage")} onClick={() => studio.say("")}>
            <span aria-hidden="true">✕</span>
          </button>
        </div>
      )}
      <main>
        <section class="rk-panel" key={screen.name} role="tabpanel" id="rk-panel" aria-labelledby={`rk-tab-${screen.name}`}>
          <h2 class="rk-hidden">{text(`screen.${screen.name}` as TextKey)}</h2>
          {waits ? <Waiting studio={studio} /> : <Component studio={studio} />}
        </section>
        {screen.layout === "beside" && <Picture studio={studio} />}
      </main>
      <SaveDialog studio={studio} step={step} next={setStep} />
    </div>
  );
}

const LONG = 4000; // without a server [ms]: it has been ended

function Offline({ studio }: { studio: Studio }) {
  const [long, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p class="rk-offline" role="status">
      {text("studio.offline")} {long && text("studio.startAgain")}{" "}
      {studio.waitingRobot && text("studio.robotWaits", { robot: studio.waitingRobot })}{" "}
      {studio.waitingEdits.count > 0 && text("studio.editsWait", { count: studio.waitingEdits.count })}
    </p>
  );
}

/** The document has changed since edits were typed for it. */
function DifferingEdits({ studio }: { studio: Studio }) {
  return (
    <div class="rk-message" role="alert">
      <span>{text("studio.editsDiffer", { count: studio.waitingEdits.count })}</span>
      <button type="button" class="rk-primary" onClick={() => void studio.sendWaiting()}>
        {text("studio.sendEdits")}
      </button>
      <button type="button" onClick={() => studio.dropWaiting()}>
        {text("studio.dropEdits")}
      </button>
    </div>
  );
}

function Waiting({ studio }: { studio: Studio }) {
  const found = studio.checked?.mistakes ?? [];
  return (
    <div class="rk-part">
      <p class="rk-note" role="status">
        {found.length ? text("studio.mistakesFirst") : studio.checked?.no_picture || text("studio.computing")}
      </p>
      {found.length > 0 && (
        <button type="button" onClick={() => studio.show("structure")}>
          {text("screen.structure")}
        </button>
      )}
    </div>
  );
}

/** Ctrl+Z, Ctrl+Y, Ctrl+S; Alt with a digit shows a screen. */
function shortcut(studio: Studio, event: KeyboardEvent, setStep: (step: SaveStep) => void): void {
  const control = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  const field = event.target as HTMLElement;
  if (control && key === "s" && studio.document) void saveNow(studio, setStep);
  else if (control && (key === "y" || (key === "z" && event.shiftKey)) && studio.document) field.blur(), void studio.redo();
  else if (control && key === "z" && studio.document) {
    const typed = field instanceof HTMLInputElement && field.type === "text" && field.value !== field.defaultValue && !field.dataset["path"];
    if (typed) return; // the browser undoes typing
    field.blur();
    void studio.undo();
  } else if (event.altKey && /^[0-9]$/.test(event.key)) {
    const screen = SCREENS[(Number(event.key) + 9) % 10];
    if (!screen) return;
    studio.show(screen.name);
  } else return;
  event.preventDefault();
}

async function saveNow(studio: Studio, setStep: (step: SaveStep) => void): Promise<void> {
  (document.activeElement as HTMLElement | null)?.blur(); // what is being typed counts
  await studio.settled();
  setStep(await save(studio));
}

function Bar({ studio, save: setStep }: { studio: Studio; save: (step: SaveStep) => void }) {
  const { document: edited } = studio;
  const cells = edited?.cells;
  const undo = edited?.undo ? text("studio.undoOf", { edit: text(`edit.${edited.undo}` as TextKey) }) : text("studio.undo");
  const redo = edited?.redo ? text("studio.redoOf", { edit: text(`edit.${edited.redo}` as TextKey) }) : text("studio.redo");
  return (
    <header class="rk-top">
      <span class="rk-brand" lang="ja" title={`rikigaku ${studio.version}`}>
        力学
      </span>
      {edited && cells ? (
        <div class="rk-file">
          <h1 class="rk-hidden">{cells.name}</h1>
          <Cell
            studio={studio}
            path={["name"]}
            value={cells.name}
            label={text("studio.robotName")}
            wide
            commit={(next) => studio.edit({ type: "rename", part: "robot", old: "", new: next })}
          />
          <span class="rk-soft rk-file-name" title={edited.file}>
            {edited.file || text("studio.noFile")}
            {!edited.saved && <b title={text("studio.unsaved")}> ●</b>}
          </span>
        </div>
      ) : (
        <h1>rikigaku studio</h1>
      )}
      <div class="rk-top-tools">
        {edited && (
          <>
            <button type="button" class="rk-icon" disabled={!edited.undo} aria-label={undo} title={`${undo} (Ctrl+Z)`} onClick={() => void studio.undo()}>
              <span aria-hidden="true">↶</span>
            </button>
            <button type="button" class="rk-icon" disabled={!edited.redo} aria-label={redo} title={`${redo} (Ctrl+Y)`} onClick={() => void studio.redo()}>
              <span aria-hidden="true">↷</span>
            </button>
            <button type="button" class={edited.saved ? "" : "rk-primary"} title="Ctrl+S" onClick={() => void saveNow(studio, setStep)}>
              {text("studio.save")}
            </button>
            <button type="button" class="rk-save-as" onClick={() => setStep({ kind: "name" })}>
              {text("studio.saveAs")}
            </button>
          </>
        )}
        <LanguageAndTheme studio={studio} />
      </div>
    </header>
  );
}

function LanguageAndTheme({ studio }: { studio: Studio }) {
  const root = document.documentElement;
  const switchTheme = () => {
    const dark = (root.dataset["theme"] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
    root.dataset["theme"] = dark ? "light" : "dark";
    localStorage.setItem(THEME, root.dataset["theme"]);
    studio.viewer?.recolor();
  };
  return (
    <>
      <select
        class="rk-language"
        aria-label={text("page.language")}
        value={language()}
        onChange={(event) => {
          localStorage.setItem(LANGUAGE, event.currentTarget.value);
          setLanguage(event.currentTarget.value as Language);
        }}
      >
        {LANGUAGES.map((own) => (
          <option value={own} lang={own}>
            {TEXTS[own]["language.name"]}
          </option>
        ))}
      </select>
      <button type="button" class="rk-icon" aria-label={text("page.theme")} title={text("page.theme")} onClick={switchTheme}>
        <span aria-hidden="true">◐</span>
      </button>
    </>
  );
}

function Tabs({ studio, shown }: { studio: Studio; shown: string }) {
  const available = SCREENS.filter(({ needs }) => needs === "nothing" || studio.document);
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    const place = available.findIndex(({ name }) => name === shown);
    const next = available[(place + step + available.length) % available.length]!;
    studio.show(next.name);
    document.getElementById(`rk-tab-${next.name}`)?.focus();
  };
  return (
    <nav aria-label={text("studio.screens")}>
      <div class="rk-tabs" role="tablist" aria-label={text("studio.screens")} onKeyDown={move}>
      {available.map(({ name }) => (
        <button
          type="button"
          role="tab"
          id={`rk-tab-${name}`}
          aria-selected={name === shown}
          aria-controls="rk-panel"
          tabIndex={name === shown ? 0 : -1}
          onClick={() => studio.show(name)}
        >
          {text(`screen.${name}`)}
          {name === "structure" && studio.checked !== null && studio.checked.mistakes.length > 0 && (
            <span class="rk-count" aria-label={text("studio.mistakeCount", { count: studio.checked.mistakes.length })}>
              {studio.checked.mistakes.length}
            </span>
          )}
        </button>
      ))}
      </div>
    </nav>
  );
}

/** The robot; a new revision takes the place of the old one, seen from the same side. */
function Picture({ studio }: { studio: Studio }) {
  const place = useRef<HTMLDivElement>(null);
  const [, again] = useReducer((count: number) => count + 1, 0);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    if (!studio.state || !place.current) return;
    const last = studio.viewer;
    if (last?.state === studio.state) return;
    try {
      last?.dispose(true);
      studio.viewer = new Viewer(place.current, studio.state, last);
      studio.viewer.canvas.setAttribute("role", "application");
      studio.viewer.canvas.setAttribute("aria-label", `${studio.state.robot.name}. ${text("viewer.help")}`);
      if (last) for (const [layer, shown] of last.layers.shown) studio.viewer.show(layer, shown);
      studio.highlightSelected();
      setProblem("");
    } catch (error) {
      setProblem(text("page.failed", { error: String(error) }));
    }
    again(undefined);
    studio.changed();
  }, [studio.state]);
  useEffect(
    () => () => {
      studio.viewer?.dispose();
      studio.viewer = null;
    },
    [],
  );
  const { checked } = studio;
  const stale = checked !== null && checked.robot === null;
  const reason = checked?.mistakes.length ? text("studio.pictureOfLast") : (checked?.no_picture ?? "");
  return (
    <aside class="rk-stage" aria-label={text("viewer.picture")}>
      <div id="rk-viewer" ref={place} class={stale ? "rk-stale" : ""} />
      {(stale || problem || (checked?.no_picture ?? "")) && (
        <p class="rk-stage-note" role="status">
          {problem || reason}
        </p>
      )}
      {studio.viewer && (
        <>
          <ViewerBar key={[...studio.viewer.layers.shown].join()} viewer={studio.viewer} />
          <Sliders key={`sliders${studio.viewer.state.robot.names.q.join()}${checked?.revision}`} state={studio.viewer.state} followers={studio.screen === "pose"} />
        </>
      )}
    </aside>
  );
}
