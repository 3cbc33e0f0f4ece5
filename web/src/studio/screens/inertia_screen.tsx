// Inertia: ten parameters of each link as symbols, numbers or zeros; impossible inertias and their repair.

import { useEffect } from "preact/hooks";
import { text } from "../../texts/texts";
import { Cell, Choice, OtherMistakes, Part, type Path } from "../cells";
import type { InertiaCells, LinkCells } from "../messages";
import type { Studio } from "../studio";
import { useStudio } from "../use_studio";

const TENSOR = ["Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz"];

export function InertiaScreen({ studio }: { studio: Studio }) {
  useStudio(studio);
  const cells = studio.document?.cells;
  useEffect(() => {
    for (const layer of ["masses", "inertia"] as const) studio.viewer?.show(layer, true);
    studio.changed();
    return () => {
      for (const layer of ["masses", "inertia"] as const) studio.viewer?.show(layer, false);
      studio.changed(); // the buttons of the layers follow
    };
  }, [studio.viewer]);
  if (!cells) return null;
  const set = (links: string[], choice: "none" | "zero" | "symbols") => void studio.edit({ type: "set_inertia", links, choice });
  const impossible = studio.checked?.impossible ?? [];
  const centres = cells.links.some((own) => own.inertia?.about === "com");
  return (
    <>
      {impossible.length > 0 && (
        <section class="rk-warning" role="alert">
          <h2>{text("studio.impossible", { count: impossible.length })}</h2>
          <ul>
            {impossible.map(({ link, problems }) => (
              <li>
                <b>{link}</b>: {problems.join("; ")}{" "}
                <button type="button" onClick={() => void studio.edit({ type: "repair_inertias", links: [link] })}>
                  {text("studio.repair")}
                </button>
              </li>
            ))}
          </ul>
          {impossible.length > 1 && (
            <button type="button" onClick={() => void studio.edit({ type: "repair_inertias", links: [] })}>
              {text("studio.repairAll")}
            </button>
          )}
        </section>
      )}
      <Part
        title={text("table.inertia")}
        tools={
          <>
            <button type="button" onClick={() => set([], "symbols")}>
              {text("studio.allSymbols")}
            </button>
            <button type="button" onClick={() => set([], "zero")}>
              {text("studio.allZero")}
            </button>
          </>
        }
      >
        <div class="rk-wide">
          <table class="rk-cells rk-inertia">
            <thead>
              <tr>
                <th scope="col">{text("studio.link")}</th>
                <th scope="col">{text("studio.about")}</th>
                <th scope="col">
                  <i>m</i> <small>kg</small>
                </th>
                {["x", "y", "z"].map((axis) => (
                  <PositionHead axis={axis} moments={cells.links.some((own) => own.inertia?.about === "origin")} centres={centres} />
                ))}
                {TENSOR.map((name) => (
                  <th scope="col">
                    <i>
                      I<sub>{name.slice(1)}</sub>
                    </i>{" "}
                    <small>kg m²</small>
                  </th>
                ))}
                <th scope="col">
                  <span class="rk-hidden">{text("studio.more")}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {cells.links.map((link, place) => (
                <InertiaRow key={place} {...{ studio, link, place }} set={(choice) => set([link.name], choice)} />
              ))}
            </tbody>
          </table>
        </div>
        <p class="rk-note">{text("studio.aboutInertia")}</p>
      </Part>
    </>
  );
}

/** First moments, positions of centres of mass, or both, as the rows below have them. */
function PositionHead({ axis, moments, centres }: { axis: string; moments: boolean; centres: boolean }) {
  return (
    <th scope="col">
      {(moments || !centres) && (
        <i>
          ms<sub>{axis}</sub>
        </i>
      )}
      {moments && centres && ", "}
      {centres && <i>{axis}</i>}
      <small> {centres ? (moments ? "kg m, m" : "m") : "kg m"}</small>
    </th>
  );
}

interface RowProps {
  studio: Studio;
  link: LinkCells;
  place: number;
  set: (choice: "none" | "zero" | "symbols") => void;
}

function InertiaRow({ studio, link, place, set }: RowProps) {
  const owner: Path = ["link", place, "inertia"];
  const { name, inertia } = link;
  const select = () => studio.selectLink(name);
  const bad = studio.checked?.impossible.some((own) => own.link === name);
  const tools = (
    <td class="rk-row-tools">
      <button type="button" title={text("studio.symbolsOf", { link: name })} aria-label={text("studio.symbolsOf", { link: name })} onClick={() => set("symbols")}>
        <span class="rk-glyph" data-glyph="𝑥" />
      </button>
      <button type="button" title={text("studio.zeroOf", { link: name })} aria-label={text("studio.zeroOf", { link: name })} onClick={() => set("zero")}>
        <span class="rk-glyph" data-glyph="0" />
      </button>
      {inertia && (
        <button type="button" title={text("studio.noneOf", { link: name })} aria-label={text("studio.noneOf", { link: name })} onClick={() => set("none")}>
          <span aria-hidden="true">✕</span>
        </button>
      )}
    </td>
  );
  return (
    <>
      <tr class={`${studio.selectedLink === name ? "rk-selected" : ""} ${bad ? "rk-bad" : ""}`} onClick={select}>
        <th scope="row">{name}</th>
        <Parameters studio={studio} owner={owner} name={name} inertia={inertia ?? MASSLESS} select={select} />
        {tools}
      </tr>
      {studio.checked?.mistakes.some(({ path }) => path[1] === place && path[2] === "inertia") && (
        <tr class="rk-below">
          <td colSpan={13}>
            <OtherMistakes studio={studio} head={owner} cells={paths(owner, inertia)} />
          </td>
        </tr>
      )}
    </>
  );
}

/** Cells of a link without an inertia; the first value that is typed gives it one. */
const MASSLESS: InertiaCells = { about: "", m: "", position: ["", "", ""], tensor: ["", "", "", "", "", ""], rpy: ["", "", ""] };

const positionKey = (inertia: InertiaCells) => (inertia.about === "com" ? "com" : "ms");

const paths = (owner: Path, inertia: InertiaCells | null): Path[] => [
  [...owner, "about"],
  [...owner, "m"],
  ...[0, 1, 2].map((k) => [...owner, inertia ? positionKey(inertia) : "ms", k]),
  ...TENSOR.map((_, k) => [...owner, "I", k]),
];

function Parameters({ studio, owner, name, inertia, select }: { studio: Studio; owner: Path; name: string; inertia: InertiaCells; select: () => void }) {
  const key = positionKey(inertia);
  const com = key === "com";
  const change = (about: string) => {
    // The key of the position changes with its meaning: first moments, or the centre of mass.
    const [from, to] = about === "com" ? ["ms", "com"] : ["com", "ms"];
    const values = inertia.position.map((value, k) => ({ type: "set_value" as const, path: [...owner, to!, k], value: value || "0" }));
    void studio.edit({
      type: "paste_block",
      cells: [{ type: "set_value", path: [...owner, "about"], value: about }, ...values, { type: "set_value", path: [...owner, from!], value: "" }],
    });
  };
  return (
    <>
      <td>
        {inertia === MASSLESS ? (
          <span class="rk-soft rk-massless">{text("studio.noInertia")}</span>
        ) : (
          <Choice
            studio={studio}
            path={[...owner, "about"]}
            value={inertia.about}
            options={["origin", "com"]}
            names={(about) => (about === "com" ? text("studio.com") : about === "origin" ? text("studio.origin") : about)}
            label={`${name}: ${text("studio.about")}`}
            change={change}
          />
        )}
      </td>
      <td>
        <Cell studio={studio} path={[...owner, "m"]} value={inertia.m} label={`${name}: m`} empty={inertia === MASSLESS ? "0" : ""} onFocus={select} />
      </td>
      {["x", "y", "z"].map((axis, k) => (
        <td key={axis}>
          <Cell
            studio={studio}
            path={[...owner, key, k]}
            value={inertia.position[k] ?? ""}
            label={`${name}: ${com ? axis : `ms${axis}`}`}
            empty="0"
            onFocus={select}
          />
        </td>
      ))}
      {TENSOR.map((label, k) => (
        <td key={label}>
          <Cell studio={studio} path={[...owner, "I", k]} value={inertia.tensor[k] ?? ""} label={`${name}: ${label}`} empty="0" onFocus={select} />
        </td>
      ))}
    </>
  );
}
