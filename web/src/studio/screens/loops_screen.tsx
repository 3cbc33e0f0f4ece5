// Loops: two links that are clicked become a cut joint; mobility, independent joints, assembly modes in pictures.

import { useEffect, useMemo, useState } from "preact/hooks";
import { text } from "../../texts/texts";
import { LoopConstraints } from "../analysis/loop_constraints";
import { modeValues } from "../analysis/mode_values";
import { Cell, Choice, OtherMistakes, Part, type Path } from "../cells";
import { GeometryHeads, GeometryRow, columns, type RowKind } from "../geometry_cells";
import { CUT_JOINTS, type LoopCells, type RobotCells } from "../messages";
import type { Studio } from "../studio";
import { useStudio } from "../use_studio";

const MOST_VALUES = 6; // coordinates below the picture of an assembly mode

export function LoopsScreen({ studio }: { studio: Studio }) {
  useStudio(studio);
  const cells = studio.document?.cells;
  if (!cells) return null;
  return (
    <>
      <NewLoop studio={studio} cells={cells} />
      {cells.loops.map((loop, place) => (
        <LoopPart key={place} studio={studio} cells={cells} loop={loop} place={place} />
      ))}
      {cells.loops.length > 0 && <Mobility studio={studio} cells={cells} />}
      {cells.loops.length > 0 && <AssemblyModes studio={studio} />}
      {cells.loops.length > 0 && <LoopConstraints studio={studio} />}
    </>
  );
}

/** The links between which the next loop is closed: clicked in the picture, or chosen from lists. */
function NewLoop({ studio, cells }: { studio: Studio; cells: RobotCells }) {
  const bodies = [...cells.links.map(({ name }) => name), cells.base];
  const [[start, end], setEnds] = useState<[string, string]>(["", ""]);
  const [joint, setJoint] = useState("revolute");
  useEffect(() => {
    const { viewer } = studio;
    viewer?.pick((body) => {
      const name = body < 0 ? cells.base : (viewer.state.robot.bodies[body] ?? "");
      setEnds(([first, second]) => (!first || second ? [name, ""] : first === name ? ["", ""] : [first, name]));
    });
    return () => viewer?.pick(null);
  }, [studio.viewer]);
  useEffect(() => {
    const { viewer } = studio;
    viewer?.highlight([start, end].filter((name) => name !== "").map((name) => viewer.state.robot.bodies.indexOf(name)));
    return () => viewer?.highlight([]);
  }, [studio.viewer, start, end]);
  const add = async () => {
    if (await studio.edit({ type: "add_loop", start, end, joint, name: "" })) setEnds(["", ""]);
  };
  const choice = (side: 0 | 1, label: string) => (
    <label>
      {label}
      <select
        value={side ? end : start}
        onChange={(event) => setEnds(side ? [start, event.currentTarget.value] : [event.currentTarget.value, end])}
      >
        <option value="">–</option>
        {bodies.map((body) => (
          <option value={body}>{body}</option>
        ))}
      </select>
    </label>
  );
  return (
    <Part title={text("studio.newLoop")}>
      <p class="rk-note">{text("studio.clickTwo")}</p>
      <form
        class="rk-add"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        {choice(0, text("studio.from"))}
        {choice(1, text("studio.to"))}
        <label>
          {text("studio.cutJoint")}
          <select value={joint} onChange={(event) => setJoint(event.currentTarget.value)}>
            {CUT_JOINTS.map((type) => (
              <option value={type}>{text(`joint.${type}`)}</option>
            ))}
          </select>
        </label>
        <button type="submit" class="rk-primary" disabled={!start || !end || start === end}>
          {text("studio.closeLoop")}
        </button>
      </form>
    </Part>
  );
}

function LoopPart({ studio, cells, loop, place }: { studio: Studio; cells: RobotCells; loop: LoopCells; place: number }) {
  const owner: Path = ["loop", place];
  const bodies = [...cells.links.map(({ name }) => name), cells.base];
  const ends = [
    { key: "from", label: text("studio.from"), cells: loop.start },
    { key: "to", label: text("studio.to"), cells: loop.end },
  ];
  const kindOf = (kind: string): RowKind => (kind === "none" ? "placement" : (kind as RowKind));
  const shown: Path[] = [
    [...owner, "name"],
    [...owner, "joint"],
    ...ends.flatMap(({ key, cells: end }) => [
      [...owner, key, "link"],
      ...columns(kindOf(end.geometry.kind), false).map(({ path }) => [...owner, key, ...path]),
    ]),
  ];
  const kinds = new Set(ends.map(({ cells: end }) => kindOf(end.geometry.kind)));
  return (
    <Part
      title={text("studio.loop", { name: loop.name })}
      tools={
        <button type="button" class="rk-danger" onClick={() => void studio.edit({ type: "delete_part", part: "loop", place })}>
          {text("studio.openLoop")}
        </button>
      }
    >
      <div class="rk-fields">
        <label>
          <span>{text("studio.name")}</span>
          <Cell
            studio={studio}
            path={[...owner, "name"]}
            value={loop.name}
            label={text("studio.name")}
            commit={(next) => studio.edit({ type: "rename", part: "loop", old: loop.name, new: next })}
          />
        </label>
        <label>
          <span>{text("studio.cutJoint")}</span>
          <Choice
            studio={studio}
            path={[...owner, "joint"]}
            value={loop.joint}
            options={CUT_JOINTS}
            names={(type) => text(`joint.${type}` as "joint.revolute")}
            label={text("studio.cutJoint")}
            change={(value) => void studio.edit({ type: "set_value", path: [...owner, "joint"], value })}
          />
        </label>
      </div>
      {[...kinds].map((kind) => (
        <div class="rk-wide" key={kind}>
          <table class="rk-cells">
            <thead>
              <tr>
                <th scope="col">{text("studio.end")}</th>
                <th scope="col">{text("studio.link")}</th>
                <GeometryHeads kind={kind} branches={false} />
              </tr>
            </thead>
            <tbody>
              {ends
                .filter(({ cells: end }) => kindOf(end.geometry.kind) === kind)
                .map(({ key, label, cells: end }) => (
                  <tr key={key}>
                    <th scope="row">{label}</th>
                    <td>
                      <Choice
                        studio={studio}
                        path={[...owner, key, "link"]}
                        value={end.link}
                        options={bodies}
                        label={`${loop.name} ${label}`}
                        change={(value) => void studio.edit({ type: "set_value", path: [...owner, key, "link"], value })}
                      />
                    </td>
                    <GeometryRow
                      studio={studio}
                      owner={[...owner, key]}
                      name={`${loop.name} ${label}`}
                      geometry={end.geometry}
                      kind={kind}
                      branches={false}
                    />
                  </tr>
                ))}
            </tbody>
          </table>
        </div>
      ))}
      <OtherMistakes studio={studio} head={owner} cells={shown} />
    </Part>
  );
}

/** Mobility, and the joints whose positions are the independent coordinates. */
function Mobility({ studio, cells }: { studio: Studio; cells: RobotCells }) {
  const { checked } = studio;
  const moving = cells.links.filter(({ joint }) => joint.type !== "fixed").map(({ name, joint }) => joint.name || name);
  const chosen = new Set(cells.independent);
  const structure = checked?.robot?.loops;
  const inUse = new Set(structure ? structure.independent.map((v) => checked!.robot!.joints.find((own) => own.v <= v && v < own.v + own.nv)?.name) : []);
  const toggle = (name: string) => {
    const next = moving.filter((own) => (own === name ? !chosen.has(own) : chosen.has(own)));
    void studio.edit({ type: "set_independent", joints: next });
  };
  return (
    <Part title={text("law.mobility")}>
      {checked?.mobility !== null && checked?.mobility !== undefined ? (
        <dl class="rk-facts" id="rk-mobility">
          <dt>{text("loops.mobility")}</dt>
          <dd>
            <b>{checked.mobility}</b>
          </dd>
          <dt>{text("studio.treeCoordinates")}</dt>
          <dd>{checked.nv}</dd>
          <dt>{text("loops.equations")}</dt>
          <dd>
            {text("loops.equationCount", { independent: checked.nv - checked.mobility, redundant: checked.redundant ?? 0 })}
          </dd>
        </dl>
      ) : (
        <p class="rk-problem" role="alert">
          {checked?.no_picture || (checked?.mistakes.length ? text("studio.mistakesFirst") : text("studio.computing"))}
        </p>
      )}
      <fieldset class="rk-chips">
        <legend>{text("loops.independent")}</legend>
        {moving.map((name) => (
          <button type="button" aria-pressed={chosen.has(name)} class={inUse.has(name) ? "rk-in-use" : ""} onClick={() => toggle(name)}>
            {name}
          </button>
        ))}
      </fieldset>
      <p class="rk-note">{chosen.size ? "" : text("studio.independentByEngine")}</p>
    </Part>
  );
}

/** Pictures of the configurations that close at the same independent coordinates; one is chosen. */
function AssemblyModes({ studio }: { studio: Studio }) {
  const [found, setFound] = useState<{ q: number[]; image: string }[] | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const revision = studio.state;
  useEffect(() => setProblem(""), [revision]);
  const search = async () => {
    if (!studio.state || !studio.viewer) return;
    setBusy(true);
    setProblem("");
    try {
      const { positions } = await studio.run("assembly_modes", { q: [...studio.state.q] });
      setFound(positions.map((q) => ({ q, image: studio.viewer!.snapshot(q) })));
    } catch (error) {
      setProblem(String(error instanceof Error ? error.message : error));
    }
    setBusy(false);
  };
  const choose = (q: number[]) => void studio.edit({ type: "choose_configuration", q });
  const values = useMemo(
    () => (found && studio.state ? modeValues(studio.state.robot.coordinates, studio.state.followers, found.map(({ q }) => q), MOST_VALUES) : []),
    [found],
  );
  const chosen = studio.document?.cells?.configuration ?? [];
  const near = (q: number[]) => chosen.length > 0 && chosen.every((x, k) => Math.abs(x - q[k]!) < 1e-9);
  return (
    <Part
      title={text("loops.ghosts")}
      tools={
        <button type="button" disabled={busy || !studio.state?.loops} onClick={() => void search()}>
          {busy ? text("studio.computing") : text("studio.findModes")}
        </button>
      }
    >
      <p class="rk-note">
        {text("studio.aboutModes")} {found && found.length > 1 && text("studio.modeValues")}
      </p>
      {problem && (
        <p class="rk-problem" role="alert">
          {problem}
        </p>
      )}
      {found && (
        <div class="rk-modes">
          {found.map(({ q, image }, k) => (
            <button type="button" aria-pressed={near(q)} onClick={() => choose(q)}>
              <img src={image} alt="" />
              <span>{text("studio.mode", { number: k + 1 })}</span>
              <dl>
                {(values[k] ?? []).map(({ name, value, differs }) => (
                  <div class={differs ? "rk-differs" : ""}>
                    <dt>{name}</dt>
                    <dd>{value}</dd>
                  </div>
                ))}
              </dl>
            </button>
          ))}
        </div>
      )}
    </Part>
  );
}
