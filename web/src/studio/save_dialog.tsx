// Save, save under another name, and the choice where the file has changed meanwhile.

import { useEffect, useRef, useState } from "preact/hooks";
import { text } from "../texts/texts";
import type { Save, SaveConflict } from "./messages";
import type { Studio } from "./studio";

export type SaveStep = { kind: "closed" } | { kind: "name" } | { kind: "conflict"; conflict: SaveConflict };

/** Save to the document's own file, or ask for a name; returns what the dialog shows next. */
export async function save(studio: Studio, path = "", choice: Save["choice"] = "ask"): Promise<SaveStep> {
  if (!path && !studio.document?.file) return { kind: "name" };
  const reply = await studio.save(path, choice);
  if (reply?.type === "save_conflict") return { kind: "conflict", conflict: reply };
  if (reply?.type === "saved") studio.say(text(reply.merged ? "studio.mergedInto" : "studio.savedTo", { file: reply.document.file }));
  return { kind: "closed" };
}

export function SaveDialog({ studio, step, next }: { studio: Studio; step: SaveStep; next: (step: SaveStep) => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [name, setName] = useState("");
  useEffect(() => {
    if (step.kind === "closed") dialog.current?.close();
    else if (!dialog.current?.open) dialog.current?.showModal();
    if (step.kind === "name") setName(studio.document?.file || `${studio.document?.cells?.name ?? "robot"}.robot.toml`);
  }, [step]);
  const run = async (path: string, choice: Save["choice"]) => next(await save(studio, path, choice));
  return (
    <dialog ref={dialog} class="rk-dialog" onClose={() => next({ kind: "closed" })} aria-labelledby="rk-dialog-title">
      {step.kind === "name" && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void run(name, "ask");
          }}
        >
          <h2 id="rk-dialog-title">{text("studio.saveAs")}</h2>
          <label>
            {text("studio.fileName")}
            <input type="text" value={name} onInput={(event) => setName(event.currentTarget.value)} />
          </label>
          <p class="rk-note">{text("studio.workspace", { folder: studio.workspace })}</p>
          <div class="rk-dialog-buttons">
            <button type="button" onClick={() => next({ kind: "closed" })}>
              {text("studio.cancel")}
            </button>
            <button type="submit" class="rk-primary" disabled={!name.trim()}>
              {text("studio.save")}
            </button>
          </div>
        </form>
      )}
      {step.kind === "conflict" && <Conflict conflict={step.conflict} run={run} cancel={() => next({ kind: "closed" })} />}
    </dialog>
  );
}

interface ConflictProps {
  conflict: SaveConflict;
  run: (path: string, choice: Save["choice"]) => Promise<void>;
  cancel: () => void;
}

function Conflict({ conflict, run, cancel }: ConflictProps) {
  const { file, both, other } = conflict;
  return (
    <>
      <h2 id="rk-dialog-title">{text("studio.conflict", { file })}</h2>
      <p>{both.length ? text("studio.conflictBoth") : text("studio.conflictApart")}</p>
      {both.length > 0 && (
        <ul>
          {both.slice(0, 8).map(({ place, own, other: theirs }) => (
            <li>
              <code>{place}</code>
              {(own || theirs) && <> {text("studio.conflictValues", { own: own || "–", other: theirs || "–" })}</>}
            </li>
          ))}
        </ul>
      )}
      <div class="rk-dialog-buttons">
        <button type="button" onClick={cancel}>
          {text("studio.cancel")}
        </button>
        <button type="button" class="rk-danger" onClick={() => void run(file, "replace")}>
          {text("studio.replaceFile")}
        </button>
        <button type="button" class={both.length ? "rk-primary" : ""} onClick={() => void run(file, "keep both")}>
          {text("studio.keepBoth", { file: other })}
        </button>
        {both.length === 0 && (
          <button type="button" class="rk-primary" onClick={() => void run(file, "merge")}>
            {text("studio.merge")}
          </button>
        )}
      </div>
    </>
  );
}
