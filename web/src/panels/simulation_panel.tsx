// The small simulation of the page: initial velocities, joint forces as formulas, gravity, plots, playback.

import { useState } from "preact/hooks";
import { BadFormula, parseFormula, type Evaluated } from "../formula/formula_parser";
import type { Motion } from "../document/model_document";
import type { RobotState } from "../mechanics/robot_state";
import { simulate, type Recording } from "../mechanics/simulation";
import { text, type TextKey } from "../texts/texts";
import type { Viewer } from "../viewer/viewer";
import { MotionPlayer } from "./motion_player";
import type { TimePlot } from "./time_plots";
import { useLanguage } from "./use_page";

interface Shown {
  motion: Motion;
  plots: TimePlot[];
  recording?: Recording;
}

const ZERO: Evaluated = () => 0;
const NO_EVENTS: never[] = [];

export function SimulationPanel({ state, viewer }: { state: RobotState; viewer: Viewer | null }) {
  useLanguage();
  const { robot } = state;
  const actuated = robot.joints.flatMap((joint) =>
    joint.actuated || !robot.loops ? [...Array(joint.nv).keys()].map((k) => joint.v + k) : [],
  );
  const independent = robot.loops?.independent ?? actuated; // whose velocities the user gives
  const given = [...new Set([...actuated, ...independent])].sort((a, b) => a - b);
  const [forces, setForces] = useState<Record<number, string>>({});
  const [velocities, setVelocities] = useState<Record<number, number>>({});
  const [gravity, setGravity] = useState(robot.gravity.some((g) => g !== 0));
  const [duration, setDuration] = useState(4);
  const [step, setStep] = useState(0.002);
  const [problems, setProblems] = useState<Record<number, string>>({});
  const [shown, setShown] = useState<Shown | null>(null);
  const [failure, setFailure] = useState("");

  const motions = robot.motions.length > 0 && state.moves && (
    <div class="rk-motions">
      <h3>{text("simulation.recorded")}</h3>
      {robot.motions.map((motion) => (
        <button type="button" onClick={() => setShown({ motion, plots: [positionPlot(state, motion)] })}>
          {motion.title}
        </button>
      ))}
    </div>
  );
  const playback = shown && (
    <>
      {shown.recording?.stopped !== undefined && (
        <p class="rk-problem">
          {text(shown.recording.opened ? "simulation.opened" : "simulation.stopped", { time: shown.recording.stopped.toPrecision(4) })}
        </p>
      )}
      <MotionPlayer state={state} viewer={viewer} motion={shown.motion} plots={shown.plots} events={NO_EVENTS} />
    </>
  );
  if (!state.laws?.has("forward_dynamics") || !robot.nv)
    return (
      <div>
        <p class="rk-note">{text("simulation.none")}</p>
        {motions}
        {playback}
      </div>
    );

  const run = () => {
    const names = ["t", ...robot.names.q, ...robot.names.v];
    const found: Record<number, string> = {};
    const torques = robot.names.tau.map((_, k) => {
      const formula = forces[k]?.trim();
      if (!formula) return ZERO;
      try {
        return parseFormula(formula, names);
      } catch (error) {
        if (!(error instanceof BadFormula)) throw error;
        found[k] = `${text(error.reason as TextKey)}${error.detail ? `: ${error.detail}` : ""} (${error.position + 1})`;
        return ZERO;
      }
    });
    setProblems(found);
    if (Object.keys(found).length) return;
    try {
      const v = Float64Array.from({ length: robot.nv }, (_, k) => velocities[k] ?? 0);
      const options = { q: state.q, v, torques, gravity: gravity ? robot.gravity : [0, 0, 0], duration, step };
      const recording = simulate(state, options);
      const motion = playable(recording);
      setShown({ motion, plots: recordedPlots(state, recording, motion), recording });
      setFailure("");
    } catch (error) {
      setFailure(String(error));
    }
  };

  const number = (value: number, change: (x: number) => void, label: TextKey, least: number) => (
    <label class="rk-field">
      <span>{text(label)}</span>
      <input
        type="number"
        step="any"
        min={least}
        value={value}
        onChange={(event) => {
          const next = Number((event.target as HTMLInputElement).value);
          if (next >= least) change(next);
        }}
      />
    </label>
  );

  return (
    <div class="rk-simulation">
      <p class="rk-note">
        {text("simulation.about")} {text("simulation.initial")}
      </p>
      <div class="rk-simulation-options">
        {number(duration, setDuration, "simulation.duration", 0.01)}
        {number(step, setStep, "simulation.step", 1e-5)}
        <label class="rk-check">
          <input type="checkbox" checked={gravity} onChange={() => setGravity(!gravity)} />
          {text("simulation.gravity")}
        </label>
        <button type="button" class="rk-primary" onClick={run}>
          {text("simulation.run")}
        </button>
      </div>
      <details open={given.length <= 8}>
        <summary>{text("simulation.torques")}</summary>
        <div class="rk-force-list">
          {given.map((k) => (
            <div class="rk-force">
              <label>
                <span class="rk-slider-name">{robot.names.tau[k]}</span>
                <input
                  type="text"
                  placeholder="0"
                  disabled={!actuated.includes(k)}
                  spellcheck={false}
                  value={forces[k] ?? ""}
                  aria-invalid={k in problems}
                  aria-describedby={k in problems ? `rk-force-${k}` : undefined}
                  onInput={(event) => setForces({ ...forces, [k]: (event.target as HTMLInputElement).value })}
                />
              </label>
              <label class="rk-initial">
                <span>{text("simulation.initialVelocity")}</span>
                <input
                  type="number"
                  step="any"
                  disabled={!independent.includes(k)}
                  value={velocities[k] ?? 0}
                  aria-label={`${text("simulation.initialVelocity")} ${robot.names.v[k]}`}
                  onChange={(event) =>
                    setVelocities({ ...velocities, [k]: Number((event.target as HTMLInputElement).value) || 0 })
                  }
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
      {failure && <p class="rk-problem">{failure}</p>}
      {motions}
      {playback}
    </div>
  );
}

/** The recording as a motion that can be played. */
function playable({ times, q }: Recording): Motion {
  return { title: "", times: Array.from(times), positions: q.map((row) => Array.from(row)), contacts: [], surfaces: [], shapes: [], beams: null };
}

const columns = (names: readonly string[], rows: readonly ArrayLike<number>[]) =>
  names.map((name, k) => ({ name, values: rows.map((row) => row[k]!) }));

/** Positions of a motion over time. */
function positionPlot(state: RobotState, motion: Motion): TimePlot {
  return { title: "simulation.positions", unit: "rad, m", times: motion.times, curves: columns(state.robot.names.q, motion.positions) };
}

function recordedPlots(state: RobotState, recording: Recording, motion: Motion): TimePlot[] {
  const { times } = motion;
  const [kinetic, potential] = [Array.from(recording.kinetic), Array.from(recording.potential)];
  const energies = [
    { name: "simulation.kinetic", values: kinetic },
    { name: "simulation.potential", values: potential },
    { name: "simulation.total", values: kinetic.map((x, k) => x + potential[k]!) },
  ];
  return [
    positionPlot(state, motion),
    { title: "simulation.velocities", unit: "rad/s, m/s", times, curves: columns(state.robot.names.v, recording.v) },
    ...(kinetic.length && potential.length ? [{ title: "simulation.energies", unit: "J", times, curves: energies }] : []),
  ];
}
