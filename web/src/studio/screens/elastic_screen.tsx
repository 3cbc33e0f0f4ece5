// Elastic: vibration modes that move in the picture, and the deflection under weight and loads.

import { useEffect, useState } from "preact/hooks";
import type { RobotState } from "../../mechanics/robot_state";
import { VibrationBar } from "../../panels/vibration_bar";
import { numberText } from "../../panels/number_text";
import { text, type TextKey } from "../../texts/texts";
import { Field, NumberInput, Select, VectorInput } from "../analysis/fields";
import { JobBar } from "../analysis/job_bar";
import { useJob } from "../analysis/use_job";
import type { Studio } from "../studio";
import type { ElasticRequest, ElasticResult } from "../tasks";
import { useStudio } from "../use_studio";

const LOCKED: ElasticRequest["locked"][] = ["motors", "all", "none"];

export function ElasticScreen({ studio }: { studio: Studio }) {
  useStudio(studio);
  if (!studio.state) return <p class="rk-note">{text("analysis.noRobot")}</p>;
  return <Elastic key={studio.state.robot.names.q.join()} studio={studio} state={studio.state} />;
}

function Elastic({ studio, state }: { studio: Studio; state: RobotState }) {
  const frames = state.robot.frames.filter((frame) => frame.body >= 0).map((frame) => frame.name);
  const job = useJob(studio, "elastic");
  const [elements, setElements] = useState(8);
  const [modes, setModes] = useState(6);
  const [locked, setLocked] = useState<ElasticRequest["locked"]>("motors");
  const [frame, setFrame] = useState(frames[frames.length - 1] ?? "");
  const [force, setForce] = useState([0, 0, 0]);
  const [mass, setMass] = useState(0);
  const run = () => void job.run({ q: [...state.q], elements, locked, modes, loads: frame ? [{ frame, force, mass }] : [] });

  useEffect(run, []);
  return (
    <div class="rk-analysis">
      <p class="rk-note">{text("elastic.about")}</p>
      <div class="rk-form">
        <Field label={text("elastic.locked")}>
          <Select value={locked} options={LOCKED.map((one) => [one, text(`elastic.locked.${one}` as TextKey)] as const)} onValue={setLocked} />
        </Field>
        <Field label={text("elastic.elements")}>
          <Select value={String(elements)} options={["2", "4", "8", "16"].map((n) => [n, n] as const)} onValue={(n) => setElements(Number(n))} />
        </Field>
        <Field label={text("elastic.count")}>
          <Select value={String(modes)} options={["3", "6", "12", "24"].map((n) => [n, n] as const)} onValue={(n) => setModes(Number(n))} />
        </Field>
        {frame && (
          <>
            <Field label={text("elastic.loadAt")}>
              <Select value={frame} options={frames.map((name) => [name, name] as const)} onValue={setFrame} />
            </Field>
            <Field label={text("elastic.force")}>
              <VectorInput value={force} onValue={setForce} label={text("elastic.force")} />
            </Field>
            <Field label={text("elastic.mass")}>
              <NumberInput value={mass} least={0} onValue={setMass} />
            </Field>
          </>
        )}
        <button type="button" class="rk-primary" disabled={job.running} onClick={run}>
          {text("elastic.compute")}
        </button>
      </div>
      <JobBar job={job} />
      {job.result && studio.viewer && <Shapes studio={studio} result={job.result} />}
    </div>
  );
}

function Shapes({ studio, result }: { studio: Studio; result: ElasticResult }) {
  const [kind, setKind] = useState<"vibration" | "deflection">("vibration");
  const mesh = kind === "vibration" || !result.deflection ? result.vibration : result.deflection;
  return (
    <>
      <div class="rk-choice" role="group" aria-label={text("elastic.shapes")}>
        <button type="button" aria-pressed={mesh === result.vibration} onClick={() => setKind("vibration")}>
          {text("elastic.modes")}
        </button>
        <button type="button" aria-pressed={mesh !== result.vibration} disabled={!result.deflection} onClick={() => setKind("deflection")}>
          {text("elastic.deflection")}
        </button>
      </div>
      <VibrationBar key={mesh.title} viewer={studio.viewer!} mesh={mesh} first={0} />
      <article class="rk-law">
        <header>
          <h3>{text("elastic.frequencies")}</h3>
        </header>
        <div class="rk-wide" tabIndex={0}>
          <table class="rk-data rk-right">
            <thead>
              <tr>
                <th>#</th>
                <th>{text("elastic.frequency")}</th>
                <th>{text("elastic.period")}</th>
              </tr>
            </thead>
            <tbody>
              {result.frequencies.map((f, k) => (
                <tr>
                  <td>{k + 1}</td>
                  <td>{numberText(f)} Hz</td>
                  <td>{f > 0 ? `${numberText(1000 / f)} ms` : "–"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {result.problem && <p class="rk-problem">{result.problem}</p>}
        {result.deflection && (
          <dl class="rk-facts">
            <dt>{text("elastic.largest")}</dt>
            <dd>{numberText(1000 * result.largest)} mm</dd>
            {result.frames.map((one) => (
              <>
                <dt>{one.frame}</dt>
                <dd>{one.displacement.map((x) => numberText(1000 * x)).join(", ")} mm</dd>
              </>
            ))}
          </dl>
        )}
        <p class="rk-note">
          {result.sections.length ? text("elastic.sections", { links: result.sections.join(", ") }) : text("elastic.noSections")} {text("elastic.beams", { count: result.beams })}
        </p>
        {result.rails.length > 0 && <p class="rk-note">{text("elastic.rails", { joints: result.rails.join(", ") })}</p>}
      </article>
    </>
  );
}
