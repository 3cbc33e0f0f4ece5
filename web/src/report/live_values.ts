// Values of laws that follow the robot: tables with data-law, updated while they can be seen.

import type { Law } from "../laws/law_module";
import type { RobotState } from "../mechanics/robot_state";

/** The inputs of a law at the present state, by their names and sizes. */
export function inputsOf(law: Law, state: RobotState): ArrayLike<number>[] {
  const rates = state.rates;
  return law.signature.inputs.map((port) => {
    const size = port.shape.reduce((a, b) => a * b, 1);
    if (port.name === "q") return state.q;
    if (port.name === "gravity") return state.robot.gravity;
    const [own, all] = port.name === "v" ? [state.v, rates.v] : port.name === "a" ? [state.a, rates.a] : [];
    if (all?.length === size) return all;
    if (own?.length === size) return own;
    return new Float64Array(size);
  });
}

/** A number as the report writes it. */
export function numberText(x: number): string {
  if (Math.abs(x) < 5e-13) return "0";
  const size = Math.abs(x);
  return size >= 1e5 || size < 1e-4 ? x.toExponential(4) : String(Number(x.toPrecision(5)));
}

/** Keep all tables below `root` at the state; returns a function that ends this. */
export function followValues(root: ParentNode, state: RobotState): () => void {
  const seen = new Set<HTMLElement>();
  const stale = new Set<HTMLElement>();
  const tables = [...root.querySelectorAll<HTMLElement>("[data-law]")].filter((table) =>
    state.laws?.has(table.dataset["law"]!),
  );
  let waiting = 0;
  const update = () => {
    waiting = 0;
    for (const table of stale) {
      if (!seen.has(table)) continue;
      stale.delete(table);
      const law = state.laws!.law(table.dataset["law"]!);
      const values = law(...inputsOf(law, state));
      const cells = table.querySelectorAll("td");
      for (let k = 0; k < cells.length && k < values.length; k++) {
        const shown = numberText(values[k]!);
        if (cells[k]!.textContent !== shown) cells[k]!.textContent = shown;
      }
    }
  };
  const request = () => (waiting ||= requestAnimationFrame(update));
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries)
      if (isIntersecting) seen.add(target as HTMLElement);
      else seen.delete(target as HTMLElement);
    request();
  });
  for (const table of tables) observer.observe(table);
  const end = state.subscribe(() => {
    for (const table of tables) stale.add(table);
    request();
  });
  return () => {
    observer.disconnect();
    end();
  };
}
