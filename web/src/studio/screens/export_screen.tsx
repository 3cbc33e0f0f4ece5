// Export: laws in all languages, the robot in other formats, the report; into the workspace or as a download.

import { useEffect, useState } from "preact/hooks";
import { copied } from "../../report/formulas";
import { language, text, type TextKey } from "../../texts/texts";
import { Check, Field, Select } from "../analysis/fields";
import { JobBar } from "../analysis/job_bar";
import { lawTitle } from "../analysis/law_title";
import { useJob } from "../analysis/use_job";
import type { Studio } from "../studio";
import type { ExportedFile, ExportResult, LawExportRequest, ReportExportRequest, RobotExportRequest } from "../tasks";
import { useStudio } from "../use_studio";

const LANGUAGES: [LawExportRequest["language"], string][] = [
  ["c", "C"],
  ["c++", "C++"],
  ["python", "Python (NumPy)"],
  ["julia", "Julia"],
  ["matlab", "MATLAB, Octave"],
  ["rust", "Rust"],
  ["wasm", "WebAssembly"],
  ["latex", "LaTeX"],
  ["markdown", "Markdown"],
  ["sympy", "SymPy"],
  ["casadi", "CasADi"],
  ["casadi c", "C (CasADi external)"],
];
const FORMATS: [RobotExportRequest["format"], string][] = [
  ["toml", "TOML (.robot.toml)"],
  ["urdf", "URDF"],
  ["mjcf", "MJCF (MuJoCo)"],
  ["par", "SYMORO (.par)"],
];
const REPORTS: [ReportExportRequest["format"], string][] = [
  ["html", "HTML"],
  ["json", "JSON"],
  ["tex", "LaTeX"],
];

export function ExportScreen({ studio }: { studio: Studio }) {
  useStudio(studio);
  const laws = useJob(studio, "laws");
  const [law, setLaw] = useState("");
  const [frame, setFrame] = useState("");
  const [code, setCode] = useState<LawExportRequest["language"]>("c");
  const [derivative, setDerivative] = useState(false);
  const [format, setFormat] = useState<RobotExportRequest["format"]>("urdf");
  const [kind, setKind] = useState<ReportExportRequest["format"]>("html");
  const lawJob = useJob(studio, "law_export");
  const codeJob = useJob(studio, "code_export");
  const robotJob = useJob(studio, "robot_export");
  const reportJob = useJob(studio, "report_export");
  const revision = studio.checked && !studio.checked.mistakes.length ? studio.checked.revision : -1;
  const robot = studio.document?.text; // files of an edited robot are old, those of a saved one are not
  useEffect(() => {
    for (const job of [lawJob, codeJob, robotJob, reportJob]) job.clear();
  }, [robot]);
  useEffect(() => {
    if (revision >= 0) void laws.run({});
  }, [revision]);
  if (!studio.checked || studio.checked.mistakes.length) return <p class="rk-note">{text("analysis.noRobot")}</p>;
  const known = laws.result?.laws ?? [];
  const own = known.find(({ name }) => name === law) ?? known.find(({ name }) => name === "inverse_dynamics") ?? known[0];
  return (
    <div class="rk-analysis">
      <article class="rk-law">
        <header>
          <h3>{text("export.law")}</h3>
        </header>
        <p class="rk-about">{text("export.lawAbout")}</p>
        <div class="rk-form">
          <Field label={text("equations.law")}>
            <Select value={own?.name ?? ""} options={known.map((one) => [one.name, `${lawTitle(one)}: ${one.name}`] as const)} onValue={setLaw} />
          </Field>
          {own?.of_frame && (
            <Field label={text("pose.frame")}>
              <Select value={frame || laws.result?.frame || ""} options={(laws.result?.frames ?? []).map((name) => [name, name] as const)} onValue={setFrame} />
            </Field>
          )}
          <Field label={text("export.language")}>
            <Select value={code} options={LANGUAGES} onValue={setCode} />
          </Field>
          <Check label={text("export.derivative")} checked={derivative} onChange={setDerivative} />
          <button type="button" class="rk-primary" disabled={lawJob.running || !own} onClick={() => void lawJob.run({ law: own!.name, frame: own!.of_frame ? frame : "", language: code, derivative })}>
            {text("export.write")}
          </button>
          <button type="button" disabled={codeJob.running} onClick={() => void codeJob.run({})}>
            {text("export.allLaws")}
          </button>
        </div>
        <JobBar job={lawJob} />
        <JobBar job={codeJob} />
        <Files studio={studio} result={lawJob.result} />
        <Files studio={studio} result={codeJob.result} />
      </article>
      <article class="rk-law">
        <header>
          <h3>{text("export.robot")}</h3>
        </header>
        <p class="rk-about">{text("export.robotAbout")}</p>
        <div class="rk-form">
          <Field label={text("export.format")}>
            <Select value={format} options={FORMATS} onValue={setFormat} />
          </Field>
          <button type="button" class="rk-primary" disabled={robotJob.running} onClick={() => void robotJob.run({ format })}>
            {text("export.write")}
          </button>
        </div>
        <JobBar job={robotJob} />
        <Files studio={studio} result={robotJob.result} />
      </article>
      <article class="rk-law">
        <header>
          <h3>{text("export.report")}</h3>
        </header>
        <p class="rk-about">{text("export.reportAbout")}</p>
        <div class="rk-form">
          <Field label={text("export.format")}>
            <Select value={kind} options={REPORTS} onValue={setKind} />
          </Field>
          <button type="button" class="rk-primary" disabled={reportJob.running} onClick={() => void reportJob.run({ format: kind, language: language(), time_limit: 8 })}>
            {text("export.write")}
          </button>
        </div>
        <JobBar job={reportJob} />
        <Files studio={studio} result={reportJob.result} />
      </article>
    </div>
  );
}

function Files({ studio, result }: { studio: Studio; result: ExportResult | null }) {
  if (!result) return null;
  return (
    <div class="rk-exports">
      {result.notes.map((note) => (
        <p class="rk-note">{note}</p>
      ))}
      {result.files.map((file) => (
        <FileCard studio={studio} file={file} />
      ))}
    </div>
  );
}

function bytes(file: ExportedFile): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(file.content), (x) => x.charCodeAt(0));
}

function FileCard({ studio, file }: { studio: Studio; file: ExportedFile }) {
  const [done, setDone] = useState<TextKey | "">("");
  const [stored, setStored] = useState("");
  const say = (key: TextKey) => {
    setDone(key);
    setTimeout(() => setDone(""), 1500);
  };
  const download = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([bytes(file)]));
    link.download = file.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  };
  const store = async () => {
    try {
      const reply = await studio.connection.ask({ type: "store_file", path: file.name, content: file.content, replace: true }, "file_stored");
      setStored(reply.path);
    } catch (error) {
      studio.say(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div class="rk-exported">
      <div class="rk-actions">
        <code>{file.name}</code>
        <span class="rk-soft">{file.size < 10_000 ? `${file.size} B` : `${(file.size / 1024).toFixed(0)} KB`}</span>
        <button type="button" onClick={download}>
          {text("export.download")}
        </button>
        <button type="button" onClick={() => void store()}>
          {text("export.store")}
        </button>
        {file.text && (
          <button type="button" onClick={() => void copied(new TextDecoder().decode(bytes(file))).then(() => say("page.copied"))}>
            {done ? text(done) : text("page.copy")}
          </button>
        )}
      </div>
      {stored && <p class="rk-note" role="status">{text("export.stored", { path: stored })}</p>}
      {file.text && !file.name.endsWith(".html") && (
        <pre class="rk-code" tabIndex={0}>
          {file.text}
        </pre>
      )}
    </div>
  );
}
