// Gears: joints whose position follows another joint.

import { text } from "../texts/texts";
import { Cell, Choice, Part, type Path } from "./cells";
import type { RobotCells } from "./messages";
import type { Studio } from "./studio";

export function CouplingTable({ studio, cells }: { studio: Studio; cells: RobotCells }) {
  const joints = cells.links.filter(({ joint }) => joint.type !== "fixed").map(({ name, joint }) => joint.name || name);
  if (joints.length < 2) return null;
  const free = joints.filter((name) => !cells.couplings.some(({ joint }) => joint === name));
  const add = () => {
    const joint = free[free.length - 1]!;
    const reference = joints.find((name) => name !== joint)!;
    void studio.edit({ type: "add_coupling", joint, reference, multiplier: "1" });
  };
  return (
    <Part
      title={text("studio.couplings")}
      tools={
        <button type="button" disabled={free.length === 0} onClick={add}>
          {text("studio.addCoupling")}
        </button>
      }
    >
      {cells.couplings.length > 0 && (
        <div class="rk-wide">
          <table class="rk-cells">
            <thead>
              <tr>
                <th scope="col">{text("studio.joint")}</th>
                <th scope="col">{text("studio.multiplier")}</th>
                <th scope="col">{text("studio.reference")}</th>
                <th scope="col">{text("studio.offset")}</th>
                <th scope="col">
                  <span class="rk-hidden">{text("studio.delete")}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {cells.couplings.map((own, place) => {
                const owner: Path = ["coupling", place];
                const choose = (key: "joint" | "reference") => (
                  <Choice
                    studio={studio}
                    path={[...owner, key]}
                    value={own[key]}
                    options={joints}
                    label={text(`studio.${key}`)}
                    change={(value) => void studio.edit({ type: "set_value", path: [...owner, key], value })}
                  />
                );
                return (
                  <tr>
                    <td>{choose("joint")}</td>
                    <td>
                      <Cell studio={studio} path={[...owner, "multiplier"]} value={own.multiplier} label={text("studio.multiplier")} />
                    </td>
                    <td>{choose("reference")}</td>
                    <td>
                      <Cell studio={studio} path={[...owner, "offset"]} value={own.offset} label={text("studio.offset")} empty="0" />
                    </td>
                    <td class="rk-row-tools">
                      <button
                        type="button"
                        aria-label={`${own.joint}: ${text("studio.delete")}`}
                        onClick={() => void studio.edit({ type: "delete_part", part: "coupling", place })}
                      >
                        <span aria-hidden="true">✕</span>
                      </button>
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </Part>
  );
}
