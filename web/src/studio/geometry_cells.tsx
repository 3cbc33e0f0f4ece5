// Cells of a geometry: a row of Denavit-Hartenberg parameters or a placement.

import { text } from "../texts/texts";
import { Cell, type Path } from "./cells";
import type { GeometryCells } from "./messages";
import type { Studio } from "./studio";

export type RowKind = "dh" | "standard_dh" | "placement";

export interface GeometryColumn {
  /** As the table heads it. */
  title: string;
  /** Where it is in the file, below the owner of the geometry. */
  path: Path;
  value: (geometry: GeometryCells) => string;
  unit: string;
}

const AXES = ["x", "y", "z"];
const ANGLES = ["roll", "pitch", "yaw"];
const GREEK: Record<string, string> = { alpha: "α", theta: "θ", beta: "β" };

type DhName = "alpha" | "a" | "theta" | "d" | "beta" | "b";

/** The columns of a kind of geometry; branches: with beta and b. */
export function columns(kind: RowKind, branches: boolean): GeometryColumn[] {
  if (kind === "placement")
    return [
      ...AXES.map((title, k) => ({ title, path: [kind, "xyz", k], value: (own: GeometryCells) => own.xyz[k] ?? "", unit: "m" })),
      ...ANGLES.map((title, k) => ({ title, path: [kind, "rpy", k], value: (own: GeometryCells) => own.rpy[k] ?? "", unit: "rad" })),
    ];
  const names: DhName[] =
    kind === "standard_dh" ? ["theta", "d", "a", "alpha"] : branches ? ["alpha", "a", "theta", "d", "beta", "b"] : ["alpha", "a", "theta", "d"];
  return names.map((name) => ({
    title: GREEK[name] ?? name,
    path: [kind, name],
    value: (own) => own[name],
    unit: name in GREEK ? "rad" : "m",
  }));
}

/** Heads of the columns. */
export function GeometryHeads({ kind, branches }: { kind: RowKind; branches: boolean }) {
  return (
    <>
      {columns(kind, branches).map(({ title, unit }) => (
        <th scope="col" class="rk-geometry">
          <i>{title}</i> <small>{unit}</small>
        </th>
      ))}
    </>
  );
}

interface Props {
  studio: Studio;
  owner: Path;
  name: string;
  geometry: GeometryCells;
  kind: RowKind;
  branches: boolean;
  onFocus?: () => void;
}

/** The cells of one geometry. */
export function GeometryRow({ studio, owner, name, geometry, kind, branches, onFocus }: Props) {
  return (
    <>
      {columns(kind, branches).map((column) => (
        <td class="rk-geometry" key={column.path.join(".")}>
          <Cell
            studio={studio}
            path={[...owner, ...column.path]}
            value={column.value(geometry)}
            label={`${name}: ${column.title}`}
            empty="0"
            {...(onFocus ? { onFocus } : {})}
          />
        </td>
      ))}
    </>
  );
}

export const KIND_TEXTS = {
  dh: "studio.dh",
  standard_dh: "studio.standardDh",
  placement: "studio.placement",
} as const;

export const kindName = (kind: string): string => (kind in KIND_TEXTS ? text(KIND_TEXTS[kind as RowKind]) : kind);
