// Simulate: forces, controllers, contacts, gravity or space; run in native code; play, scrub, plots, audit, events.

import { useState } from "preact/hooks";
import { BadFormula, parseFormula } from "../../formula/formula_parser";
import type { RobotState } from "../../mechanics/robot_state";
import { MotionPlayer } from "../../panels/motion_player";
import { Sliders } from "../../panels/sliders";
import { numberText } from "../../panels/number_text";
import { text, type TextKey } from "../../texts/texts";
import { earthGravity } from "../analysis/earth_gravity";
import { ContactForm } from "../analysis/contact_form";
import { ControllerForm, newController } from "../analysis/controller_form";
import { Check, Field, NumberInput, Select, VectorInput } from "../analysis/fields";
import { JobBar } from "../analysis/job_bar";
import { useShownRobot } from "../analysis/shown_robot";
import { useJob } from "../analysis/use_job";
import type { Studio } from "../studio";
import type { SimulationRequest, SimulationResult } from "../tasks";
import { useStudio } from "../use_studio";

const METHODS: SimulationRequest["method"][] = ["dop853", "radau", "time_stepping"];

export function SimulateScreen({ studio }: { studio: Studio }) {
  useStudio(studio);
  const robots = useShownRobot(studio);
  if (!robots.own) return <p class="rk-note">{text("analysis.noRobot")}</p>;
  return <Simulation key={robots.own.robot.names.v.join()} studio={studio} own={robots.own} shown={robots.shown} show={robots.show} />;
}

/** Coordinates of v that take a force: all, or the actuated ones of a closed robot. */
function forced({ robot }: RobotState): number[] {
  return robot.loops?.actuated ?? [...Array(robot.nv).keys()];
}

interface Properties {
  studio: Studio;
  own: RobotState;
  shown: RobotState | null;
  show: ReturnType<typeof useShownRobot>["show"];
}

function Simulation({ studio, own, shown, show }: Properties) {
  const { robot } = own;
  const places = forced(own);
  const free = robot.loops?.independent ?? [...Array(robot.nv).keys()];
  const missing = studio.checked?.missing ?? [];
  const job = useJob(studio, "simulation");
  const [duration, setDuration] = useState(4);
  const [gravity, setGravity] = useState([...robot.gravity]);
  const [forces, setForces] = useState<Record<number, string>>({});
  const [velocities, setVelocities] = useState<Record<number, number>>({});
  const [problems, setProblems] = useState<Record<number, string>>({});
  const [controller, setController] = useState(newController(own));
  const [contacts, setContacts] = useState<SimulationRequest["contacts"]>([]);
  const [options, setOptions] = useState({ free_base: false, base_mass: 50, stops: false, joint_friction: false, torque_limits: false, typical: false });
  const [method, setMethod] = useState<SimulationRequest["method"]>("dop853");
  const [step, setStep] = useState(0.001);
  const [start, setStart] = useState<number[] | null>(null);

  const checkForces = (): boolean => {
    const names = ["t", ...robot.names.q, ...robot.names.v];
    const found: Record<number, string> = {};
    for (const k of places) {
      const typed = forces[k]?.trim();
      if (!typed) continue;
      try {
        parseFormula(typed, names);
      } catch (error) {
        if (!(error instanceof BadFormula)) throw error;
        found[k] = `${text(error.reason as TextKey)}${error.detail ? `: ${error.detail}` : ""} (${error.position + 1})`;
      }
    }
    setProblems(found);
    return Object.keys(found).length === 0;
  };

  const run = async () => {
    if (!checkForces()) return;
    await show(null);
    const q = start ?? [...own.q];
    setStart(q);
    own.set(q);
    const v = Array.from({ length: robot.nv }, (_, k) => velocities[k] ?? 0);
    const found = await job.run({
      q,
      v: [...(own.loops?.completedVelocity(q, v) ?? v)],
      duration,
      torques: places.map((k) => forces[k] ?? ""),
      gravity,
      controller,
      contacts,
      ...options,
      method,
      step,
    });
    if (found?.document) await show(found.document);
  };

  const player = job.result && !job.running && shown && (!job.result.document || shown !== own);
  return (
    <div class="rk-analysis">
      <div class="rk-form">
        <Field label={text("simulate.duration")}>
          <NumberInput value={duration} onValue={setDuration} least={1e-6} />
        </Field>
        <Field label={text("simulate.gravity")}>
          <VectorInput value={gravity} onValue={setGravity} label={text("table.gravity")} />
        </Field>
        <div class="rk-actions">
          <button type="button" onClick={() => setGravity(earthGravity(robot.gravity))}>
            {text("simulate.earth")}
          </button>
          <button type="button" onClick={() => setGravity([0, 0, 0])}>
            {text("simulate.weightless")}
          </button>
          {gravity.some((x, k) => x !== robot.gravity[k]) && (
            <button type="button" onClick={() => setGravity([...robot.gravity])}>
              {text("base.gravity.own")}
            </button>
          )}
        </div>
      </div>
      <div class="rk-narrow">
        <Sliders state={own} />
      </div>
      <details>
        <summary>{text("simulation.initialVelocity")}</summary>
        {robot.loops && <p class="rk-note">{text("simulate.dependentFollow")}</p>}
        <div class="rk-form">
          {free.map((k) => (
            <Field label={robot.names.v[k]!}>
              <NumberInput value={velocities[k] ?? 0} onValue={(x) => setVelocities({ ...velocities, [k]: x })} />
            </Field>
          ))}
        </div>
      </details>
      <details open={places.length <= 8 && !job.result}>
        <summary>{text("simulate.forces")}</summary>
        <p class="rk-note">{text("simulate.forcesHint", { example: `-5*${robot.names.v[places[0] ?? 0] ?? "v"} + 2*sin(t)` })}</p>
        <div class="rk-force-list">
          {places.map((k) => (
            <div class="rk-force">
              <label>
                <span class="rk-slider-name">{robot.names.tau[k]}</span>
                <input
                  type="text"
                  placeholder="0"
                  spellcheck={false}
                  value={forces[k] ?? ""}
                  aria-invalid={k in problems}
                  aria-describedby={k in problems ? `rk-force-${k}` : undefined}
                  onInput={(event) => setForces({ ...forces, [k]: (event.target as HTMLInputElement).value })}
                />
              </label>
              {k in problems && (
                <p class="rk-problem" id={`rk-force-${k}`}>
                  {problems[k]}
                </p>
              )}
            </div>
          ))}
        </div>
      </details>
      <ControllerForm state={own} value={controller} onValue={setController} />
      <ContactForm state={own} value={contacts} onValue={setContacts} />
      <details>
        <summary>{text("simulate.options")}</summary>
        <div class="rk-form">
          <Check label={text("simulate.stops")} checked={options.stops} onChange={(stops) => setOptions({ ...options, stops })} />
          <Check label={text("simulate.jointFriction")} checked={options.joint_friction} onChange={(joint_friction) => setOptions({ ...options, joint_friction })} />
          <Check label={text("simulate.torqueLimits")} checked={options.torque_limits} onChange={(torque_limits) => setOptions({ ...options, torque_limits })} />
          <Check label={text("simulate.freeBase")} checked={options.free_base} onChange={(free_base) => setOptions({ ...options, free_base })} />
          {options.free_base && (
            <Field label={text("simulate.baseMass")}>
              <NumberInput value={options.base_mass} least={1e-9} onValue={(base_mass) => setOptions({ ...options, base_mass })} />
            </Field>
          )}
          <Field label={text("simulate.method")}>
            <Select value={method} options={METHODS.map((one) => [one, text(`simulate.method.${one}` as TextKey)] as const)} onValue={setMethod} />
          </Field>
          {method === "time_stepping" && (
            <Field label={text("simulation.step")}>
              <NumberInput value={step} least={1e-6} onValue={setStep} />
            </Field>
          )}
        </div>
      </details>
      {missing.length > 0 && (
        <div>
          <p class="rk-note">{text("simulate.missing", { names: missing.length > 8 ? `${missing.slice(0, 8).join(", ")}, …` : missing.join(", ") })}</p>
          <Check label={text("simulate.typical")} checked={options.typical} onChange={(typical) => setOptions({ ...options, typical })} />
        </div>
      )}
      <div class="rk-actions rk-run">
        <button type="button" class="rk-primary" disabled={job.running} onClick={() => void run()}>
          {text("simulation.run")}
        </button>
        <span class="rk-note">
          {start ? text("simulate.startKept") : text("simulation.initial")}{" "}
          {start && (
            <button type="button" class="rk-link" onClick={() => setStart(null)}>
              {text("simulate.startHere")}
            </button>
          )}
        </span>
      </div>
      <JobBar job={job} />
      {player && <Outcome studio={studio} state={shown} result={job.result!} />}
    </div>
  );
}

function Outcome({ studio, state, result }: { studio: Studio; state: RobotState; result: SimulationResult }) {
  const { audit } = result;
  return (
    <article class="rk-law rk-outcome">
      <header>
        <h3>{text("simulate.result")}</h3>
        <span class={result.done ? "rk-badge" : "rk-badge rk-badge-bad"}>{result.done ? text("simulate.done") : text("simulate.ended")}</span>
      </header>
      {!result.done && <p class="rk-problem">{result.status}</p>}
      <MotionPlayer state={state} viewer={studio.viewer} motion={result.motion} plots={result.plots} events={result.events} />
      {result.more_events > 0 && <p class="rk-note">{text("simulate.moreEvents", { count: result.more_events })}</p>}
      <h4>{text("simulate.audit")}</h4>
      <dl class="rk-facts" id="rk-audit">
        <dt>{text("simulate.energyStart")}</dt>
        <dd>{numberText(audit.start)} J</dd>
        <dt>{text("simulate.energyEnd")}</dt>
        <dd>{numberText(audit.end)} J</dd>
        <dt>{text("simulate.work")}</dt>
        <dd>{numberText(audit.work)} J</dd>
        <dt>{text("simulate.dissipated")}</dt>
        <dd>{numberText(audit.dissipated)} J</dd>
        <dt>{text("simulate.energyError")}</dt>
        <dd data-relative={audit.relative}>
          {audit.error.toExponential(1)} J ({audit.relative.toExponential(1)})
        </dd>
        <dt>{text("simulate.residual")}</dt>
        <dd data-residual={result.residual}>{result.residual.toExponential(1)}</dd>
        <dt>{text("simulate.steps")}</dt>
        <dd>{result.steps}</dd>
      </dl>
      {result.notes.map((note) => (
        <p class="rk-note">{note}</p>
      ))}
    </article>
  );
}

