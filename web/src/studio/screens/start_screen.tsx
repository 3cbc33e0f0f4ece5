// Start: shipped robots, a robot from nothing, files of the workspace, work to recover.

import { useEffect, useState } from "preact/hooks";
import { language, text, type TextKey } from "../../texts/texts";
import { fileAddress, upload } from "../address";
import { Part } from "../cells";
import type { RecoverableWork, StartList } from "../messages";
import type { Studio } from "../studio";
import { useStudio } from "../use_studio";

const FORMATS = ".toml,.urdf,.xml,.mjcf,.sdf,.par,.json";
const KINDS = ["serial", "tree", "closed"] as const;

export function StartScreen({ studio }: { studio: Studio }) {
  useStudio(studio);
  const [start, setStart] = useState<StartList | null>(null);
  const [name, setName] = useState("");
  const list = () => void studio.connection.ask({ type: "list_start" }, "start_list").then(setStart, () => undefined);
  useEffect(() => {
    if (studio.connected) list();
  }, [studio.connected]);
  const send = async (files: FileList | null) => {
    for (const file of [...(files ?? [])]) {
      try {
        const path = await upload(file);
        if (FORMATS.split(",").some((ending) => path.toLowerCase().endsWith(ending))) await studio.open({ type: "open_file", path }, path);
      } catch (error) {
        studio.say(error instanceof Error ? error.message : String(error));
      }
    }
  };
  return (
    <div class="rk-start">
      {start && start.recoverable.length > 0 && <Recoverable studio={studio} works={start.recoverable} changed={list} />}
      <Part title={text("studio.fromNothing")}>
        <div class="rk-new">
          <label>
            {text("studio.name")}
            <input type="text" value={name} placeholder="my_robot" onInput={(event) => setName(event.currentTarget.value)} />
          </label>
          {KINDS.map((kind) => (
            <button type="button" class="rk-card rk-kind" onClick={() => void studio.open({ type: "new_robot", kind, name: name || "my_robot" }, name || "my_robot")}>
              <KindPicture kind={kind} />
              <b>{text(`studio.kind.${kind}`)}</b>
              <small>{text(`studio.about.${kind}`)}</small>
            </button>
          ))}
        </div>
      </Part>
      <Part title={text("studio.openFile")}>
        <label
          class="rk-drop"
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => {
            event.preventDefault();
            void send(event.dataTransfer?.files ?? null);
          }}
        >
          <input type="file" multiple accept={`${FORMATS},.stl,.obj,.dae`} onChange={(event) => void send(event.currentTarget.files)} />
          <span>{text("studio.drop")}</span>
          <small>{text("studio.formats")}</small>
        </label>
        {start && start.files.length > 0 && (
          <ul class="rk-files">
            {start.files.map(({ path, changed }) => (
              <li>
                <button type="button" onClick={() => void studio.open({ type: "open_file", path }, path)}>
                  <span>{path}</span>
                  <small>{date(changed)}</small>
                </button>
              </li>
            ))}
          </ul>
        )}
        {studio.workspace && <p class="rk-note">{text("studio.workspace", { folder: studio.workspace })}</p>}
      </Part>
      <Part title={text("studio.gallery")}>
        <div class="rk-gallery">
          {(start?.shipped ?? []).map((robot) => (
            <button type="button" class="rk-card" onClick={() => void studio.open({ type: "open_shipped", name: robot.name }, robot.name)}>
              <img src={fileAddress(robot.picture)} alt="" width="240" height="180" loading="lazy" />
              <b>{robot.name}</b>
              <small>{text(`shipped.${robot.name}` as TextKey)}</small>
            </button>
          ))}
        </div>
      </Part>
    </div>
  );
}

const date = (seconds: number): string =>
  new Date(1000 * seconds).toLocaleString(language(), { dateStyle: "medium", timeStyle: "short" });

function Recoverable({ studio, works, changed }: { studio: Studio; works: RecoverableWork[]; changed: () => void }) {
  const discard = async (session: string) => {
    await studio.connection.ask({ type: "recover", session, discard: true }, "done").catch(() => undefined);
    changed();
  };
  return (
    <Part title={text("studio.recover")}>
      <ul class="rk-files">
        {works.map((work) => (
          <li>
            <button type="button" onClick={() => void studio.open({ type: "recover", session: work.session, discard: false }, work.file || work.name)}>
              <span>{work.file || work.name || text("studio.unnamed")}</span>
              <small>{date(work.changed)}</small>
            </button>
            <button type="button" aria-label={`${work.file || work.name}: ${text("studio.discard")}`} onClick={() => void discard(work.session)}>
              <span aria-hidden="true">✕</span>
            </button>
          </li>
        ))}
      </ul>
    </Part>
  );
}

/** Sketch of a chain, a tree, a loop: bars between joints. */
function KindPicture({ kind }: { kind: (typeof KINDS)[number] }) {
  const lines = {
    serial: ["20,84 20,52", "20,52 52,30", "52,30 88,44"],
    tree: ["60,88 60,58", "60,58 28,34", "60,58 92,34"],
    closed: ["24,84 30,40", "30,40 84,26", "84,26 96,84"],
  }[kind];
  const joints = { serial: ["20,52", "52,30"], tree: ["60,58", "28,34", "92,34"], closed: ["24,84", "30,40", "96,84"] }[kind];
  const hand = { serial: ["88,44"], tree: [], closed: [] }[kind];
  const [cut] = kind === "closed" ? ["84,26"] : [""];
  const dot = (at: string, css: string) => {
    const [x, y] = at.split(",");
    return <circle cx={x} cy={y} r="6" class={css} />;
  };
  return (
    <svg viewBox="0 0 120 100" aria-hidden="true">
      <line x1="8" y1="90" x2="112" y2="90" class="rk-sketch-ground" />
      {lines.map((points) => (
        <polyline points={points} class="rk-sketch-bar" />
      ))}
      {joints.map((at) => dot(at, "rk-sketch-joint"))}
      {hand.map((at) => dot(at, "rk-sketch-hand"))}
      {cut && dot(cut, "rk-sketch-cut")}
    </svg>
  );
}
