// Pose: the pose of a frame, manipulability and singularities, branches of inverse kinematics as ghosts.

import { useEffect, useMemo, useState } from "preact/hooks";
import { loopRegularity, manipulability, nearbySingularity, structuralRank, type Manipulability, type Rows } from "../../mechanics/manipulability";
import type { RobotState } from "../../mechanics/robot_state";
import { Formula } from "../../panels/formula";
import { Sliders } from "../../panels/sliders";
import { useRobot } from "../../panels/use_page";
import { text } from "../../texts/texts";
import { numberText } from "../../panels/number_text";
import type { Viewer } from "../../viewer/viewer";
import { Select } from "../analysis/fields";
import { JobBar } from "../analysis/job_bar";
import { useJob } from "../analysis/use_job";
import type { Studio } from "../studio";
import { useStudio } from "../use_studio";

const SINGULAR = 1e-3; // smallest over largest singular value below which the page warns

export function PoseScreen({ studio }: { studio: Studio }) {
  useStudio(studio);
  const { state } = studio;
  if (!state) return <p class="rk-note">{text("analysis.noRobot")}</p>;
  return <PosePanels key={state.robot.names.q.join()} studio={studio} state={state} />;
}

function PosePanels({ studio, state }: { studio: Studio; state: RobotState }) {
  const hands = state.robot.frames.map((frame, k) => ({ frame, k })).filter(({ frame }) => frame.law !== "");
  const [chosen, setFrame] = useState(() => best(state));
  const frame = state.robot.frames[chosen]?.law ? chosen : (hands[0]?.k ?? -1);
  return (
    <div class="rk-analysis">
      <div class="rk-narrow">
        <Sliders state={state} followers />
      </div>
      {frame >= 0 && (
        <>
          <label class="rk-field rk-row">
            <span>{text("pose.frame")}</span>
            <select value={frame} onChange={(event) => setFrame(Number((event.target as HTMLSelectElement).value))}>
              {hands.map(({ frame: own, k }) => (
                <option value={k}>{own.name}</option>
              ))}
            </select>
          </label>
          <FramePose state={state} frame={frame} />
          <ManipulabilityCard state={state} viewer={studio.viewer} frame={frame} />
          <BranchesCard studio={studio} state={state} frame={state.robot.frames[frame]!.name} />
        </>
      )}
    </div>
  );
}

/** The last frame that has a Jacobian: the hand of most robots. */
function best(state: RobotState): number {
  const places = state.robot.frames.flatMap((frame, k) => (frame.law ? [k] : []));
  return places[places.length - 1] ?? -1;
}

/** Position and orientation of a frame, following the robot. */
function FramePose({ state, frame }: { state: RobotState; frame: number }) {
  useRobot(state);
  const T = framePose(state, frame);
  const [roll, pitch, yaw] = angles(T);
  const degrees = (x: number) => `${((x * 180) / Math.PI).toFixed(2)}°`;
  return (
    <article class="rk-law">
      <header>
        <h3>{text("pose.title")}</h3>
        <code class="rk-call">robot.pose(q, "{state.robot.frames[frame]!.name}")</code>
      </header>
      <div class="rk-pose">
        <table class="rk-matrix" aria-label={text("pose.title")}>
          <tbody>
            {[0, 1, 2].map((i) => (
              <tr>
                {[0, 1, 2, 3].map((j) => (
                  <td>{T[4 * i + j]!.toFixed(4)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        <dl class="rk-facts">
          <dt>{text("pose.position")}</dt>
          <dd>{[3, 7, 11].map((k) => T[k]!.toFixed(4)).join(", ")} m</dd>
          <dt>{text("pose.rpy")}</dt>
          <dd>{[roll, pitch, yaw].map(degrees).join(", ")}</dd>
        </dl>
      </div>
    </article>
  );
}

function framePose(state: RobotState, frame: number): Float64Array {
  const { body, pose } = state.robot.frames[frame]!;
  if (body < 0) return Float64Array.from(pose);
  const X = state.worldPoses.subarray(12 * body, 12 * body + 12);
  const T = new Float64Array(12);
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < 4; j++) {
      let sum = j === 3 ? X[4 * i + 3]! : 0;
      for (let k = 0; k < 3; k++) sum += X[4 * i + k]! * pose[4 * k + j]!;
      T[4 * i + j] = sum;
    }
  return T;
}

/** Roll, pitch, yaw of R = Rz(yaw) Ry(pitch) Rx(roll). */
function angles(T: Float64Array): [number, number, number] {
  const pitch = Math.asin(Math.max(-1, Math.min(1, -T[8]!)));
  return [Math.atan2(T[9]!, T[10]!), pitch, Math.atan2(T[4]!, T[0]!)];
}

function ManipulabilityCard({ state, viewer, frame }: { state: RobotState; viewer: Viewer | null; frame: number }) {
  useRobot(state);
  const [wanted, setRows] = useState<Rows | 0>(0);
  const rows: Rows = useMemo(() => wanted || (structuralRank(state, frame, 6) === 6 ? 6 : 3), [state, frame, wanted]);
  const rank = useMemo(() => structuralRank(state, frame, rows), [state, frame, rows]);
  const [shown, setShown] = useState(false);
  const [missing, setMissing] = useState(false);
  const found = manipulability(state, frame, rank, rows);
  useEffect(() => {
    if (!viewer || !found) return;
    viewer.setLayer("manipulability", shown ? ellipsoid(state, frame, found) : null);
  });
  useEffect(() => () => viewer?.setLayer("manipulability", null), [viewer, frame]);
  if (!found) return null;
  const loopsSingular = loopRegularity(state) < SINGULAR;
  const singular = loopsSingular || found.isotropy < SINGULAR;
  return (
    <article class="rk-law">
      <header>
        <h3>{text("pose.manipulability")}</h3>
        <span class={singular ? "rk-badge rk-badge-bad" : "rk-badge"}>{text(singular ? "pose.singular" : "pose.regular")}</span>
      </header>
      <p class="rk-about">{text("pose.manipulabilityAbout")}</p>
      {singular && <p class="rk-note" role="status">{text(loopsSingular ? "pose.singularLoops" : "pose.singularFrame", { names: independent(state) })}</p>}
      <dl class="rk-facts">
        <dt>{text("pose.measure")}</dt>
        <dd id="rk-manipulability">{numberText(found.measure)}</dd>
        <dt>{text("pose.isotropy")}</dt>
        <dd>
          <meter min={0} max={1} low={0.02} optimum={1} value={found.isotropy} /> {numberText(found.isotropy)}
        </dd>
        <dt>{text("pose.singularValues")}</dt>
        <dd>{found.values.slice(0, rank).map(numberText).join(", ")}</dd>
      </dl>
      <div class="rk-actions">
        <Select
          value={String(rows)}
          label={text("pose.motion")}
          options={[
            ["3", text("pose.motion.position")],
            ["6", text("pose.motion.pose")],
          ]}
          onValue={(value) => setRows(Number(value) as Rows)}
        />
        <button type="button" aria-pressed={shown} onClick={() => setShown(!shown)}>
          {text("pose.ellipsoid")}
        </button>
        <button
          type="button"
          onClick={() => {
            const q = nearbySingularity(state, frame, rank, rows);
            setMissing(!q);
            if (q) state.set(q);
          }}
        >
          {text("pose.findSingularity")}
        </button>
      </div>
      {missing && <p class="rk-note">{text("pose.noSingularity")}</p>}
    </article>
  );
}

/** Names of the independent coordinates of a closed robot. */
function independent({ robot }: RobotState): string {
  return (robot.loops?.independent ?? []).map((k) => robot.names.v[k]!.replace(/_dot$/, "")).join(", ");
}

/** The velocity ellipsoid at the frame, its longest half axis a sixth of the robot's size. */
function ellipsoid(state: RobotState, frame: number, found: Manipulability) {
  const centre = state.framePlace(frame);
  const largest = Math.max(...found.axes, 1e-12);
  const scale = state.robot.size / 6 / largest;
  const least = 0.02 * (state.robot.size / 6);
  const half = found.axes.map((x) => Math.max(scale * x, least));
  const [rows, columns] = [14, 24];
  const vertices: number[] = [];
  const triangles: number[] = [];
  for (let i = 0; i <= rows; i++)
    for (let j = 0; j < columns; j++) {
      const [theta, phi] = [(Math.PI * i) / rows, (2 * Math.PI * j) / columns];
      const p = [half[0]! * Math.sin(theta) * Math.cos(phi), half[1]! * Math.sin(theta) * Math.sin(phi), half[2]! * Math.cos(theta)];
      for (let k = 0; k < 3; k++)
        vertices.push(centre[k]! + p[0]! * found.directions[3 * k]! + p[1]! * found.directions[3 * k + 1]! + p[2]! * found.directions[3 * k + 2]!);
      if (i === rows) continue;
      const [a, b] = [i * columns + j, i * columns + ((j + 1) % columns)];
      triangles.push(a, b, a + columns, b, b + columns, a + columns);
    }
  return { surfaces: [{ vertices, triangles, color: 0x3a7bd5, opacity: 0.35 }] };
}

function BranchesCard({ studio, state, frame }: { studio: Studio; state: RobotState; frame: string }) {
  const job = useJob(studio, "branches");
  const formulas = useJob(studio, "joint_formulas");
  const [limits, setLimits] = useState(true);
  const [selected, select] = useState(0);
  const found = job.result?.frame === frame ? job.result : null;
  const { viewer } = studio;

  useEffect(() => {
    viewer?.setGhosts(found ? found.positions.filter((_, k) => k !== selected).slice(0, 24) : []);
    return () => viewer?.setGhosts([]);
  }, [viewer, found, selected]);

  // A robot that has left the pose of the branches has others.
  useEffect(() => {
    if (!found || found.problem) return undefined;
    const at = (q: readonly number[]) => q.every((x, k) => Math.abs(x - state.q[k]!) < 1e-9);
    let here = true; // until it moves: q itself may lie beyond the limits that were asked for
    const start = [...state.q];
    return state.subscribe(() => {
      here &&= at(start);
      if (!here && !found.positions.some(at)) job.clear();
    });
  }, [state, found]);

  const show = (k: number) => {
    select(k);
    state.set(found!.positions[k]!);
  };
  const ask = () => {
    select(0);
    void job.run({ frame, q: [...state.q], limits });
  };
  return (
    <article class="rk-law">
      <header>
        <h3>{text("law.inverse_kinematics")}</h3>
        {found && !found.problem && <span class="rk-badge">{text(`pose.method.${found.method}` as never)}</span>}
      </header>
      <p class="rk-about">{text("pose.branchesAbout", { frame })}</p>
      <div class="rk-actions">
        <button type="button" class="rk-primary" disabled={job.running} onClick={ask}>
          {text("pose.branches")}
        </button>
        <label class="rk-check">
          <input type="checkbox" checked={limits} onChange={() => setLimits(!limits)} />
          {text("pose.withinLimits")}
        </label>
        <button type="button" disabled={formulas.running} onClick={() => void formulas.run({ frame, time_limit: 30 })}>
          {text("pose.formulas")}
        </button>
      </div>
      <JobBar job={job} />
      {found?.problem && <p class="rk-note">{found.problem}</p>}
      {found && !found.problem && (
        <>
          <p class="rk-note">
            {text("ik.branches", { count: found.positions.length })}
            {found.dimension > 0 && ` · ${text("pose.family", { dimension: found.dimension })}`}
            {found.error > 0 && ` · ${text("pose.branchError", { error: found.error.toExponential(1) })}`}
          </p>
          <div class="rk-branches" role="group" aria-label={text("pose.branches")}>
            {found.positions.map((q, k) => (
              <button type="button" aria-pressed={k === selected} onClick={() => show(k)} title={q.map((x) => x.toFixed(3)).join(", ")}>
                {k + 1}
                {found.singular.includes(k) ? " ∗" : ""}
              </button>
            ))}
          </div>
        </>
      )}
      <JobBar job={formulas} />
      {formulas.result && formulas.result.frame === frame && (
        <div class="rk-steps">
          {formulas.result.problem && <p class="rk-note">{text("ik.none", { reason: formulas.result.problem })}</p>}
          {formulas.result.steps.map((step) => (
            <div class="rk-line">
              <Formula latex={`${step.left} = ${step.right}`} />
            </div>
          ))}
          {formulas.result.conditions.length > 0 && <p class="rk-note">{text("ik.condition")}</p>}
          {formulas.result.conditions.map((condition) => (
            <div class="rk-line">
              <Formula latex={`${condition} = 0`} />
            </div>
          ))}
        </div>
      )}
    </article>
  );
}
