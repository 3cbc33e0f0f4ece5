// Contacts of frames on surfaces: planes, spheres, cylinders, heights and formulas, with friction and restitution.

import type { RobotState } from "../../mechanics/robot_state";
import { text, type TextKey } from "../../texts/texts";
import type { ContactRequest } from "../tasks";
import { Check, Field, NumberInput, Select, VectorInput } from "./fields";

const SURFACES: ContactRequest["surface"][] = ["plane", "sphere", "cylinder", "height", "formula"];

/** A floor below the last frame. */
export function newContact({ robot }: RobotState): ContactRequest {
  const frames = robot.frames.filter((frame) => frame.body >= 0);
  return {
    frame: frames[frames.length - 1]?.name ?? "",
    surface: "plane",
    normal: [0, 0, 1],
    point: [0, 0, 0],
    radius: 0.3,
    formula: "0.05*sin(6*x)",
    friction: 0.3,
    static: 0,
    restitution: 0,
    bilateral: false,
  };
}

export function ContactForm({ state, value, onValue }: { state: RobotState; value: ContactRequest[]; onValue: (value: ContactRequest[]) => void }) {
  const frames = state.robot.frames.filter((frame) => frame.body >= 0).map((frame) => frame.name);
  const change = (place: number, part: Partial<ContactRequest>) => onValue(value.map((one, k) => (k === place ? { ...one, ...part } : one)));
  if (!frames.length) return null;
  return (
    <details open={value.length > 0}>
      <summary>{text("contact.title", { count: value.length })}</summary>
      {value.map((one, k) => (
        <fieldset class="rk-contact">
          <legend>{text("contact.number", { number: k + 1 })}</legend>
          <div class="rk-form">
            <Field label={text("pose.frame")}>
              <Select value={one.frame} options={frames.map((name) => [name, name] as const)} onValue={(frame) => change(k, { frame })} />
            </Field>
            <Field label={text("contact.surface")}>
              <Select value={one.surface} options={SURFACES.map((kind) => [kind, text(`contact.surface.${kind}` as TextKey)] as const)} onValue={(surface) => change(k, { surface })} />
            </Field>
            {(one.surface === "plane" || one.surface === "cylinder") && (
              <Field label={text(one.surface === "plane" ? "contact.normal" : "contact.axis")}>
                <VectorInput value={one.normal} label={text("contact.normal")} onValue={(normal) => change(k, { normal })} />
              </Field>
            )}
            {one.surface !== "height" && one.surface !== "formula" && (
              <Field label={text(one.surface === "sphere" ? "contact.centre" : "contact.point")}>
                <VectorInput value={one.point} label={text("contact.point")} onValue={(point) => change(k, { point })} />
              </Field>
            )}
            {(one.surface === "sphere" || one.surface === "cylinder") && (
              <Field label={text("contact.radius")}>
                <NumberInput value={one.radius} least={1e-9} onValue={(radius) => change(k, { radius })} />
              </Field>
            )}
            {(one.surface === "height" || one.surface === "formula") && (
              <Field label={text(one.surface === "height" ? "contact.height" : "contact.formula")} grow>
                <input type="text" spellcheck={false} value={one.formula} onInput={(event) => change(k, { formula: (event.target as HTMLInputElement).value })} />
              </Field>
            )}
            <Field label={text("contact.friction")}>
              <NumberInput value={one.friction} least={0} onValue={(friction) => change(k, { friction })} />
            </Field>
            <Field label={text("contact.static")}>
              <NumberInput value={one.static} least={0} onValue={(value) => change(k, { static: value })} />
            </Field>
            <Field label={text("contact.restitution")}>
              <NumberInput value={one.restitution} least={0} onValue={(restitution) => change(k, { restitution })} />
            </Field>
            <Check label={text("contact.bilateral")} checked={one.bilateral} onChange={(bilateral) => change(k, { bilateral })} />
            <button type="button" onClick={() => onValue(value.filter((_, i) => i !== k))}>
              {text("contact.remove")}
            </button>
          </div>
        </fieldset>
      ))}
      <button type="button" onClick={() => onValue([...value, newContact(state)])}>
        {text("contact.add")}
      </button>
    </details>
  );
}
