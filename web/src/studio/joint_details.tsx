// What a joint has besides its row: axis, limits, friction, rotor, spring; and what can be done with its link.

import { text, type TextKey } from "../texts/texts";
import { Cell, Choice, type Path } from "./cells";
import { kindName } from "./geometry_cells";
import type { LinkCells } from "./messages";
import type { Studio } from "./studio";

const FIELDS = [
  { title: "table.limits", keys: ["lower", "upper", "velocity", "effort"], table: "limits" },
  { title: "studio.friction", keys: ["viscous", "coulomb"], table: "friction" },
  { title: "studio.spring", keys: ["stiffness", "rest"], table: "spring" },
] as const;

export function JointDetails({ studio, link, place }: { studio: Studio; link: LinkCells; place: number }) {
  const owner: Path = ["link", place];
  const joint: Path = [...owner, "joint"];
  const field = (path: Path, value: string, name: string, empty = "") => (
    <label>
      <span>{name}</span>
      <Cell studio={studio} path={path} value={value} label={`${link.name}: ${name}`} empty={empty} />
    </label>
  );
  const count = studio.document?.cells?.links.length ?? 0;
  return (
    <div class="rk-details">
      <fieldset>
        <legend>{text("studio.axis")}</legend>
        {["x", "y", "z"].map((axis, k) => field([...joint, "axis", k], link.joint.axis[k] ?? "", axis, ["0", "0", "1"][k]!))}
      </fieldset>
      {FIELDS.map(({ title, keys, table }) => (
        <fieldset>
          <legend>{text(title)}</legend>
          {keys.map((key) => field([...joint, table, key], link.joint[key], text(`studio.${key}` as TextKey)))}
        </fieldset>
      ))}
      <fieldset>
        <legend>{text("studio.drive")}</legend>
        {field([...joint, "rotor"], link.joint.rotor, text("studio.rotor"))}
        {link.joint.type === "helical" && field([...joint, "pitch"], link.joint.pitch, text("studio.pitch"))}
      </fieldset>
      <div class="rk-fields">
        <Choice
          value={link.geometry.kind}
          options={["dh", "standard_dh", "placement"]}
          names={kindName}
          label={text("studio.geometry")}
          change={(kind) => void studio.edit({ type: "set_geometry_kind", place, kind: kind as "dh" })}
        />
        <button type="button" disabled={place === 0} onClick={() => void studio.edit({ type: "move_part", part: "link", place, to: place - 1 })}>
          {text("studio.up")}
        </button>
        <button
          type="button"
          disabled={place + 1 >= count}
          onClick={() => void studio.edit({ type: "move_part", part: "link", place, to: place + 1 })}
        >
          {text("studio.down")}
        </button>
        <button type="button" class="rk-danger" onClick={() => void studio.edit({ type: "delete_part", part: "link", place })}>
          {text("studio.deleteLink", { link: link.name })}
        </button>
      </div>
    </div>
  );
}
