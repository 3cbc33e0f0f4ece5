// Sliders of the coordinates. The input elements are updated without drawing the panel again: slider to
// picture stays within a few milliseconds for a humanoid.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Coordinate } from "../document/model_document";
import type { RobotState } from "../mechanics/robot_state";
import { text } from "../texts/texts";
import { useLanguage } from "./use_page";

export const isAngle = (coordinate: Coordinate) => coordinate.kind === "angle" || coordinate.kind === "screw angle";

/** The range of a slider: the limits, else a revolution, or a length in proportion to the robot. */
export function range(coordinate: Coordinate, size: number): [number, number] {
  const wide = isAngle(coordinate) ? Math.PI : Math.max(0.5 * size, 0.1);
  return [coordinate.lower ?? Math.min(-wide, (coordinate.upper ?? 0) - wide), coordinate.upper ?? Math.max(wide, (coordinate.lower ?? 0) + wide)];
}

/** A value as people read it: degrees or metres. */
export function shown(coordinate: Coordinate, value: number): string {
  const [scaled, digits, unit] = isAngle(coordinate) ? [(value * 180) / Math.PI, 1, "°"] : [value, 3, " m"];
  const rounded = scaled.toFixed(digits);
  return `${Number(rounded) === 0 ? rounded.replace("-", "") : rounded}${unit}`;
}

/** followers: whether the list of the dependent coordinates is open. */
export function Sliders({ state, followers = false }: { state: RobotState; followers?: boolean }) {
  useLanguage();
  const { robot } = state;
  const inputs = useRef(new Map<number, HTMLInputElement>());
  const outputs = useRef(new Map<number, HTMLElement>());
  const residual = useRef<HTMLOutputElement>(null);
  const [stuck, setStuck] = useState(false);

  useEffect(() => {
    let waiting = 0;
    const last = new Float64Array(robot.nq).fill(NaN);
    const update = () => {
      waiting = 0;
      for (const [k, output] of outputs.current) {
        const value = state.q[k]!;
        if (value === last[k]) continue;
        last[k] = value;
        output.textContent = shown(robot.coordinates[k]!, value);
        const input = inputs.current.get(k);
        if (input && document.activeElement !== input) input.value = String(value);
      }
      if (residual.current && state.loops) residual.current.textContent = state.loops.largestResidual(state.q).toExponential(1);
    };
    update();
    return state.subscribe(() => (waiting ||= requestAnimationFrame(update)));
  }, [state]);

  const row = (k: number, fixed: boolean) => {
    const coordinate = robot.coordinates[k]!;
    const [low, high] = range(coordinate, robot.size);
    const slide = (event: Event) => {
      const reached = state.move(k, Number((event.target as HTMLInputElement).value));
      if (reached === stuck) setStuck(!reached);
    };
    return (
      <label class="rk-slider" key={k}>
        <span class="rk-slider-name">{coordinate.name}</span>
        {!fixed && (
          <input
            type="range"
            min={low}
            max={high}
            step={(high - low) / 1000}
            value={state.q[k]}
            ref={(own) => void (own && inputs.current.set(k, own))}
            onInput={slide}
          />
        )}
        <output ref={(own) => void (own && outputs.current.set(k, own))}>{shown(coordinate, state.q[k]!)}</output>
      </label>
    );
  };

  if (!state.moves) return <p class="rk-note">{text(state.robot.nq ? "state.still" : "state.noJoints")}</p>;
  return (
    <div class="rk-sliders" style={{ "--rk-name": `${Math.min(19, Math.max(5, ...robot.names.q.map((name) => name.length)))}ch` }}>
      <div class="rk-sliders-head">
        <h2>{text("state.title")}</h2>
        <button type="button" onClick={() => state.set(robot.q)}>
          {text("state.reset")}
        </button>
      </div>
      <div class="rk-slider-list">{state.sliders.map((k) => row(k, false))}</div>
      {state.loops && (
        <>
          <p class="rk-residual" aria-live="polite">
            {text("state.residual")}: <output ref={residual} id="rk-residual" />
            {stuck && <span class="rk-problem"> {text("state.stuck")}</span>}
          </p>
          {state.followers.length > 0 && (
            <details open={followers}>
              <summary>{text("state.followers")}</summary>
              <div class="rk-slider-list rk-followers">{state.followers.map((k) => row(k, true))}</div>
            </details>
          )}
        </>
      )}
    </div>
  );
}
