// Structure: tables of links, frames, symbols and gears beside the live picture.

import { useState } from "preact/hooks";
import { text } from "../../texts/texts";
import { Cell, Choice, OtherMistakes, Part, mistakes, type Path } from "../cells";
import { GeometryHeads, GeometryRow, KIND_TEXTS, columns, kindName, type RowKind } from "../geometry_cells";
import { JointDetails } from "../joint_details";
import { JOINT_TYPES, type FrameCells, type LinkCells, type RobotCells } from "../messages";
import type { Studio } from "../studio";
import { CouplingTable } from "../coupling_table";
import { SymbolTable } from "../symbol_table";
import { useStudio } from "../use_studio";

const KINDS = Object.keys(KIND_TEXTS) as RowKind[];

export function StructureScreen({ studio }: { studio: Studio }) {
  useStudio(studio);
  const cells = studio.document?.cells;
  const [branches, setBranches] = useState(false);
  if (!cells) return <SourceOnly studio={studio} />;
  const wide = branches || cells.links.some(({ geometry }) => geometry.beta || geometry.b);
  const bodies = [cells.base, ...cells.links.map(({ name }) => name)];
  const general = mistakes(studio).filter(({ path }) => !path.length || ["name", "independent", "schema"].includes(String(path[0])));
  return (
    <>
      {general.length > 0 && (
        <ul class="rk-mistakes" role="alert">
          {general.map(({ message }) => (
            <li>{message}</li>
          ))}
        </ul>
      )}
      {(studio.checked?.warnings ?? []).map((warning) => (
        <p class="rk-note" role="status">
          {warning}
        </p>
      ))}
      {studio.begunClosed && !cells.loops.length && (
        <p class="rk-note" role="status">
          {text("studio.loopOpen")}{" "}
          <button type="button" class="rk-link" onClick={() => studio.show("loops")}>
            {text("screen.loops")}
          </button>
        </p>
      )}
      <RobotLine studio={studio} cells={cells} />
      {KINDS.map((kind) => (
        <LinkTable key={kind} studio={studio} cells={cells} kind={kind} bodies={bodies} branches={wide} />
      ))}
      <Unplaced studio={studio} cells={cells} />
      <AddLink studio={studio} cells={cells} bodies={bodies} />
      {!wide && cells.links.some(({ geometry }) => geometry.kind === "dh") && (
        <button type="button" class="rk-quiet" onClick={() => setBranches(true)}>
          {text("studio.showBranches")}
        </button>
      )}
      <FrameTable studio={studio} cells={cells} bodies={bodies} />
      <SymbolTable studio={studio} symbols={cells.symbols} />
      <CouplingTable studio={studio} cells={cells} />
    </>
  );
}

/** The text cannot be shown as tables: only its mistake. */
function SourceOnly({ studio }: { studio: Studio }) {
  return (
    <ul class="rk-mistakes" role="alert">
      {mistakes(studio).map(({ message }) => (
        <li>{message}</li>
      ))}
    </ul>
  );
}

function RobotLine({ studio, cells }: { studio: Studio; cells: RobotCells }) {
  return (
    <div class="rk-fields">
      <label>
        <span>{text("studio.base")}</span>
        <Cell
          studio={studio}
          path={["base", "name"]}
          value={cells.base}
          label={text("studio.base")}
          commit={(next) => studio.edit({ type: "rename", part: "base", old: "", new: next })}
        />
      </label>
      <fieldset>
        <legend>
          {text("table.gravity")} <small>m/s²</small>
        </legend>
        {["x", "y", "z"].map((axis, k) => (
          <Cell
            studio={studio}
            path={["gravity", k]}
            value={cells.gravity[k] ?? ""}
            empty={["0", "0", "-9.81"][k]!}
            label={`${text("table.gravity")} ${axis}`}
          />
        ))}
      </fieldset>
    </div>
  );
}

interface TableProps {
  studio: Studio;
  cells: RobotCells;
  bodies: string[];
}

/** Links that are described in one way. */
function LinkTable({ studio, cells, kind, bodies, branches }: TableProps & { kind: RowKind; branches: boolean }) {
  const [open, setOpen] = useState<string | null>(null);
  const rows = cells.links.map((link, place) => ({ link, place })).filter(({ link }) => link.geometry.kind === kind);
  if (!rows.length) return null;
  const width = 7 + columns(kind, branches).length;
  return (
    <Part title={kindName(kind)}>
      <div class="rk-wide">
        <table class="rk-cells">
          <thead>
            <tr>
              <th scope="col">{text("studio.link")}</th>
              <th scope="col">{text("studio.parent")}</th>
              <th scope="col">{text("studio.joint")}</th>
              <th scope="col">{text("studio.type")}</th>
              <th scope="col" title={text("studio.actuated")}>
                {text("studio.actuatedShort")}
              </th>
              <GeometryHeads kind={kind} branches={branches} />
              <th scope="col">
                <span class="rk-hidden">{text("studio.more")}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ link, place }) => (
              <LinkRow
                key={place}
                {...{ studio, cells, link, place, kind, bodies, branches, width }}
                open={open === link.name}
                toggle={() => setOpen(open === link.name ? null : link.name)}
              />
            ))}
          </tbody>
        </table>
      </div>
    </Part>
  );
}

interface RowProps extends TableProps {
  link: LinkCells;
  place: number;
  kind: RowKind;
  branches: boolean;
  width: number;
  open: boolean;
  toggle: () => void;
}

function LinkRow({ studio, cells, link, place, kind, bodies, branches, width, open, toggle }: RowProps) {
  const owner: Path = ["link", place];
  const { name, joint } = link;
  const jointName = joint.name || name;
  const select = () => studio.selectLink(name);
  const own: Path[] = [
    [...owner, "name"],
    [...owner, "parent"],
    [...owner, "joint", "name"],
    [...owner, "joint", "type"],
    ...columns(kind, branches).map(({ path }) => [...owner, ...path]),
  ];
  const inertia = (studio.checked?.mistakes ?? []).filter(({ path }) => path[0] === "link" && path[1] === place && path[2] === "inertia");
  const fixed = joint.type === "fixed";
  return (
    <>
      <tr class={studio.selectedLink === name ? "rk-selected" : ""} onClick={select}>
        <td>
          <Cell
            studio={studio}
            path={[...owner, "name"]}
            value={name}
            label={text("studio.link")}
            onFocus={select}
            commit={(next) => studio.edit({ type: "rename", part: "link", old: name, new: next })}
          />
        </td>
        <td>
          <Choice
            studio={studio}
            path={[...owner, "parent"]}
            value={link.parent || cells.base}
            options={bodies.filter((body) => body !== name)}
            label={`${name}: ${text("studio.parent")}`}
            change={(value) => void studio.edit({ type: "set_value", path: [...owner, "parent"], value })}
          />
        </td>
        <td>
          <Cell
            studio={studio}
            path={[...owner, "joint", "name"]}
            value={joint.name}
            empty={name}
            label={`${name}: ${text("studio.joint")}`}
            onFocus={select}
            commit={(next) =>
              next.trim()
                ? studio.edit({ type: "rename", part: "joint", old: jointName, new: next })
                : studio.edit({ type: "set_value", path: [...owner, "joint", "name"], value: "" })
            }
          />
        </td>
        <td>
          <Choice
            studio={studio}
            path={[...owner, "joint", "type"]}
            value={joint.type}
            options={JOINT_TYPES}
            names={(type) => text(`joint.${type}` as "joint.revolute")}
            label={`${name}: ${text("studio.type")}`}
            change={(type) => void studio.edit({ type: "set_joint_type", place, joint: type })}
          />
        </td>
        <td class="rk-check-cell">
          <input
            type="checkbox"
            checked={joint.actuated && !fixed}
            disabled={fixed}
            aria-label={`${name}: ${text("studio.actuated")}`}
            onClick={(event) => event.stopPropagation()}
            onChange={() => void studio.edit({ type: "set_value", path: [...owner, "joint", "actuated"], value: String(!joint.actuated) })}
          />
        </td>
        <GeometryRow studio={studio} owner={owner} name={name} geometry={link.geometry} kind={kind} branches={branches} onFocus={select} />
        <td class="rk-row-tools">
          <button type="button" aria-expanded={open} aria-label={`${name}: ${text("studio.more")}`} title={text("studio.more")} onClick={toggle}>
            <span aria-hidden="true">⋯</span>
          </button>
        </td>
      </tr>
      {(open || studio.checked?.mistakes.some(({ path }) => path[0] === "link" && path[1] === place)) && (
        <tr class="rk-below">
          <td colSpan={width}>
            {inertia.length > 0 && (
              <button type="button" class="rk-link" onClick={() => studio.show("inertia")}>
                {text("studio.mistakeInInertia")}
              </button>
            )}
            <OtherMistakes studio={studio} head={owner} cells={[...own, ...inertia.map(({ path }) => path), ...(open ? detailPaths(owner) : [])]} />
            {open && <JointDetails studio={studio} link={link} place={place} />}
          </td>
        </tr>
      )}
    </>
  );
}

const detailPaths = (owner: Path): Path[] => [
  ...[0, 1, 2].map((k) => [...owner, "joint", "axis", k]),
  ...["pitch", "rotor"].map((key) => [...owner, "joint", key]),
  ...["lower", "upper", "velocity", "effort"].map((key) => [...owner, "joint", "limits", key]),
  ...["viscous", "coulomb"].map((key) => [...owner, "joint", "friction", key]),
  ...["stiffness", "rest"].map((key) => [...owner, "joint", "spring", key]),
];

/** Links whose file says no geometry. */
function Unplaced({ studio, cells }: { studio: Studio; cells: RobotCells }) {
  const rows = cells.links.map((link, place) => ({ link, place })).filter(({ link }) => link.geometry.kind === "none");
  if (!rows.length) return null;
  return (
    <Part title={text("studio.noGeometry")}>
      {rows.map(({ link, place }) => (
        <p class="rk-fields">
          <b>{link.name}</b> {text(`joint.${link.joint.type}` as "joint.revolute")}
          {(["dh", "placement"] as const).map((kind) => (
            <button type="button" onClick={() => void studio.edit({ type: "set_geometry_kind", place, kind })}>
              {kindName(kind)}
            </button>
          ))}
        </p>
      ))}
    </Part>
  );
}

function AddLink({ studio, cells, bodies }: TableProps) {
  const last = cells.links[cells.links.length - 1];
  const [parent, setParent] = useState("");
  const [joint, setJoint] = useState("revolute");
  const [name, setName] = useState("");
  const carrier = bodies.includes(parent) ? parent : studio.selectedLink && bodies.includes(studio.selectedLink) ? studio.selectedLink : (last?.name ?? cells.base);
  const kind = last && last.geometry.kind !== "none" ? last.geometry.kind : "dh";
  const add = async () => {
    const after = cells.links.findIndex((link) => link.name === carrier);
    const place = after < 0 ? cells.links.length : after + 1;
    if (await studio.edit({ type: "add_link", parent: carrier, joint, geometry: kind, place, name: name.trim() })) {
      studio.selectLink(studio.document!.cells?.links[place]?.name ?? "");
      setName("");
      setParent("");
    }
  };
  return (
    <form
      class="rk-add"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <label>
        {text("studio.newLink")}
        <input type="text" size={8} value={name} placeholder={text("studio.name")} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <label>
        {text("studio.on")}
        <select value={carrier} onChange={(event) => setParent(event.currentTarget.value)}>
          {bodies.map((body) => (
            <option value={body}>{body}</option>
          ))}
        </select>
      </label>
      <label>
        <span class="rk-hidden">{text("studio.type")}</span>
        <select value={joint} onChange={(event) => setJoint(event.currentTarget.value)}>
          {JOINT_TYPES.map((type) => (
            <option value={type}>{text(`joint.${type}` as "joint.revolute")}</option>
          ))}
        </select>
      </label>
      <button type="submit" class="rk-primary">
        {text("studio.addLink")}
      </button>
    </form>
  );
}

function FrameTable({ studio, cells, bodies }: TableProps) {
  const carrier = studio.selectedLink || (cells.links[cells.links.length - 1]?.name ?? cells.base);
  const add = () => void studio.edit({ type: "add_frame", link: carrier, name: "" });
  const groups = KINDS.map((kind) => ({
    kind,
    rows: cells.frames
      .map((frame, place) => ({ frame, place }))
      .filter(({ frame }) => (frame.geometry.kind === "none" ? "placement" : frame.geometry.kind) === kind),
  })).filter(({ rows }) => rows.length);
  return (
    <Part
      title={text("table.frames")}
      tools={
        <button type="button" onClick={add}>
          {text("studio.addFrame", { link: carrier })}
        </button>
      }
    >
      {groups.map(({ kind, rows }) => (
        <div class="rk-wide" key={kind}>
          <table class="rk-cells">
            <thead>
              <tr>
                <th scope="col">{text("studio.frame")}</th>
                <th scope="col">{text("studio.link")}</th>
                <GeometryHeads kind={kind} branches={false} />
                <th scope="col">
                  <span class="rk-hidden">{text("studio.delete")}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ frame, place }) => (
                <FrameRow key={place} {...{ studio, frame, place, kind, bodies }} />
              ))}
            </tbody>
          </table>
        </div>
      ))}
    </Part>
  );
}

function FrameRow({ studio, frame, place, kind, bodies }: { studio: Studio; frame: FrameCells; place: number; kind: RowKind; bodies: string[] }) {
  const owner: Path = ["frame", place];
  return (
    <tr>
      <td>
        <Cell
          studio={studio}
          path={[...owner, "name"]}
          value={frame.name}
          label={text("studio.frame")}
          commit={(next) => studio.edit({ type: "rename", part: "frame", old: frame.name, new: next })}
        />
      </td>
      <td>
        <Choice
          studio={studio}
          path={[...owner, "link"]}
          value={frame.link}
          options={bodies}
          label={`${frame.name}: ${text("studio.link")}`}
          change={(value) => void studio.edit({ type: "set_value", path: [...owner, "link"], value })}
        />
      </td>
      <GeometryRow studio={studio} owner={owner} name={frame.name} geometry={frame.geometry} kind={kind} branches={false} />
      <td class="rk-row-tools">
        <button type="button" aria-label={`${frame.name}: ${text("studio.delete")}`} onClick={() => void studio.edit({ type: "delete_part", part: "frame", place })}>
          <span aria-hidden="true">✕</span>
        </button>
      </td>
    </tr>
  );
}
