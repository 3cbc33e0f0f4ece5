// A controller beside the typed forces: PD, computed torque, gravity compensation.

import type { RobotState } from "../../mechanics/robot_state";
import { text, type TextKey } from "../../texts/texts";
import type { ControllerRequest } from "../tasks";
import { Field, NumberInput, Select } from "./fields";

const KINDS: ControllerRequest["kind"][] = ["none", "pd", "computed torque", "gravity compensation"];

/** Places in q of the actuated coordinates that a controller takes. */
function actuated({ robot }: RobotState): number[] {
  return robot.joints.filter((joint) => joint.actuated && joint.nq === joint.nv).flatMap((joint) => [...Array(joint.nq).keys()].map((k) => joint.q + k));
}

export function newController(state: RobotState): ControllerRequest {
  return { kind: "none", target: actuated(state).map((k) => state.q[k]!), stiffness: 100, damping: 20, duration: 2 };
}

export function ControllerForm({ state, value, onValue }: { state: RobotState; value: ControllerRequest; onValue: (value: ControllerRequest) => void }) {
  const places = actuated(state);
  const gains = value.kind === "pd" || value.kind === "computed torque";
  const change = (part: Partial<ControllerRequest>) => onValue({ ...value, ...part });
  const key = (kind: string) => `controller.${kind.replace(" ", "_")}` as TextKey;
  return (
    <details open={value.kind !== "none"}>
      <summary>{text("controller.title")}</summary>
      <div class="rk-form">
        <Field label={text("controller.kind")}>
          <Select value={value.kind} options={KINDS.map((kind) => [kind, text(key(kind))] as const)} onValue={(kind) => change({ kind })} />
        </Field>
        {gains && (
          <>
            <Field label={text("controller.stiffness")}>
              <NumberInput value={value.stiffness} least={0} onValue={(stiffness) => change({ stiffness })} />
            </Field>
            <Field label={text("controller.damping")}>
              <NumberInput value={value.damping} least={0} onValue={(damping) => change({ damping })} />
            </Field>
            <Field label={text("controller.duration")}>
              <NumberInput value={value.duration} least={0} onValue={(duration) => change({ duration })} />
            </Field>
          </>
        )}
      </div>
      {gains && (
        <>
          <div class="rk-form">
            {places.map((place, k) => (
              <Field label={state.robot.names.q[place]!}>
                <NumberInput value={value.target[k] ?? 0} onValue={(x) => change({ target: places.map((_, i) => (i === k ? x : (value.target[i] ?? 0))) })} />
              </Field>
            ))}
          </div>
          <button type="button" onClick={() => change({ target: places.map((k) => Number(state.q[k]!.toPrecision(12))) })}>
            {text("controller.here")}
          </button>
        </>
      )}
    </details>
  );
}
