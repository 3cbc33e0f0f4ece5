// The small simulation of the page: initial velocities, joint forces as formulas, gravity, plots, playback.

import { useEffect, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { BadFormula, parseFormula, type Evaluated } from "../formula/formula_parser";
import type { Motion } from "../document/model_document";
import type { RobotState } from "../mechanics/robot_state";
import { simulate, type Recording } from "../mechanics/simulation";
import { text, type TextKey } from "../texts/texts";
import { Player } from "./player";
import { plot, type Curve } from "./plot";
import { useLanguage } from "./use_page";

const ZERO: Evaluated = () => 0;

export function SimulationPanel({ state }: { state: RobotState }) {
  useLanguage();
  const { robot } = state;
  const actuated = robot.joints.flatMap((joint) =>
    joint.actuated || !robot.loops ? [...Array(joint.nv).keys()].map((k) => joint.v + k) : [],
  );
  const [forces, setForces] = useState<Record<number, string>>({});
  const [velocities, setVelocities] = useState<Record<number, number>>({});
  const [gravity, setGravity] = useState(robot.gravity.some((g) => g !== 0));
  const [duration, setDuration] = useState(4);
  const [step, setStep] = useState(0.002);
  const [problems, setProblems] = useState<Record<number, string>>({});
  const [recording, setRecording] = useState<Recording | null>(null);
  const [failure, setFailure] = useState("");

  const motions = robot.motions.length > 0 && state.moves && (
    <div class="rk-motions">
      <h3>{text("simulation.recorded")}</h3>
      {robot.motions.map((motion) => (
        <button type="button" onClick={() => setRecording(recorded(motion))}>
          {motion.title}
        </button>
      ))}
    </div>
  );
  const playback = recording && <Playback state={state} recording={recording} />;
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
      const given = forces[k]?.trim();
      if (!given) return ZERO;
      try {
        return parseFormula(given, names);
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
      const given = { q: state.q, v, torques, gravity: gravity ? robot.gravity : [0, 0, 0], duration, step };
      setRecording(simulate(state, given));
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
      <details open={actuated.length <= 8}>
        <summary>{text("simulation.torques")}</summary>
        <div class="rk-force-list">
          {actuated.map((k) => (
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
              <label class="rk-initial">
                <span>{text("simulation.initialVelocity")}</span>
                <input
                  type="number"
                  step="any"
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

/** A motion of the document as a recording that can be played; it has positions only. */
function recorded(motion: Motion): Recording {
  const none = new Float64Array(0);
  const q = motion.positions.map((row) => Float64Array.from(row));
  return { times: Float64Array.from(motion.times), q, v: [], tau: [], kinetic: none, potential: none };
}

/** Plots of a recording, with a slider for the time that moves the robot. */
export function Playback({ state, recording }: { state: RobotState; recording: Recording }) {
  const host = useRef<HTMLDivElement>(null);
  const [time, setTime] = useState(0);
  const [playing, setPlaying] = useState(false);
  const player = useRef<Player | null>(null);
  const { robot } = state;

  useEffect(() => {
    player.current = new Player(state, recording.times, recording.q, (now, on) => {
      setTime(now);
      setPlaying(on);
    });
    const plots: uPlot[] = [];
    const own = host.current!;
    const wanted: [TextKey, Curve[]][] = [];
    const add = (title: TextKey, curves: Curve[]) => wanted.push([title, curves]);
    const columns = (names: readonly string[], rows: Float64Array[]) =>
      names.map((name, k) => ({ name, values: rows.map((row) => row[k]!) }));
    add("simulation.positions", columns(robot.names.q, recording.q));
    if (recording.v.length) add("simulation.velocities", columns(robot.names.v, recording.v));
    if (recording.kinetic.length && recording.potential.length) {
      const total = recording.kinetic.map((x, k) => x + recording.potential[k]!);
      add("simulation.energies", [
        { name: text("simulation.kinetic"), values: recording.kinetic },
        { name: text("simulation.potential"), values: recording.potential },
        { name: text("simulation.total"), values: total },
      ]);
    }
    // All places first: the width of a plot depends on how many there are.
    const places = wanted.map(() => {
      const place = document.createElement("div");
      place.className = "rk-plot";
      own.append(place);
      return place;
    });
    wanted.forEach(([title, curves], k) => plots.push(plot(places[k]!, text(title), recording.times, curves)));
    const resized = new ResizeObserver(() =>
      plots.forEach((one, k) => one.setSize({ width: places[k]!.clientWidth, height: one.height })),
    );
    resized.observe(own);
    document.documentElement.classList.add("rk-playing");
    player.current.play();
    return () => {
      player.current?.pause();
      resized.disconnect();
      document.documentElement.classList.remove("rk-playing");
      for (const one of plots) one.destroy();
      own.replaceChildren();
    };
  }, [recording]);

  return (
    <div class="rk-playback">
      {recording.stopped !== undefined && (
        <p class="rk-problem">{text("simulation.stopped", { time: recording.stopped.toPrecision(4) })}</p>
      )}
      <div class="rk-player">
        <button type="button" onClick={() => (playing ? player.current?.pause() : player.current?.play())}>
          {text(playing ? "simulation.pause" : "simulation.play")}
        </button>
        <input
          type="range"
          aria-label={text("simulation.time")}
          min={0}
          max={recording.times[recording.times.length - 1]}
          step="any"
          value={time}
          onInput={(event) => {
            player.current?.pause();
            const next = Number((event.target as HTMLInputElement).value);
            player.current?.show(next);
            setTime(next);
          }}
        />
        <output>{time.toFixed(2)} s</output>
      </div>
      <div class="rk-plots" ref={host} />
    </div>
  );
}
