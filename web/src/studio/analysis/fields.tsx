// Fields of forms: numbers, vectors, texts, choices. A number that is none keeps its text and says so.

import { useEffect, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { text } from "../../texts/texts";

export function Field({ label, children, grow = false }: { label: string; children: ComponentChildren; grow?: boolean }) {
  return (
    <label class={grow ? "rk-field rk-grow" : "rk-field"}>
      <span>{label}</span>
      {children}
    </label>
  );
}

interface NumberProperties {
  value: number;
  onValue: (value: number) => void;
  least?: number;
  label?: string;
}

/** What is wrong with a typed number: the key of a text, "" where nothing is. */
export function numberProblem(typed: string, least: number): "" | "field.decimalPoint" | "field.notNumber" | "field.least" {
  const number = Number(typed);
  if (typed.trim() !== "" && Number.isFinite(number)) return number >= least ? "" : "field.least";
  return /\d,\d/.test(typed) ? "field.decimalPoint" : "field.notNumber";
}

export function NumberInput({ value, onValue, least = -Infinity, label }: NumberProperties) {
  const [typed, setTyped] = useState(String(value));
  useEffect(() => setTyped((last) => (Number(last) === value ? last : String(value))), [value]);
  const problem = numberProblem(typed, least);
  return (
    <>
      <input
        type="text"
        inputMode="decimal"
        class="rk-number-input"
        aria-label={label}
        aria-invalid={problem !== ""}
        value={typed}
        onInput={(event) => {
          const next = (event.target as HTMLInputElement).value;
          setTyped(next);
          if (!numberProblem(next, least)) onValue(Number(next));
        }}
      />
      {problem && (
        <span class="rk-problem" role="status">
          {text(problem, { least })}
        </span>
      )}
    </>
  );
}

export function VectorInput({ value, onValue, label }: { value: number[]; onValue: (value: number[]) => void; label: string }) {
  return (
    <span class="rk-vector" role="group" aria-label={label}>
      {value.map((x, k) => (
        <NumberInput value={x} label={`${label} ${"xyz"[k] ?? k + 1}`} onValue={(next) => onValue(value.map((old, i) => (i === k ? next : old)))} />
      ))}
    </span>
  );
}

export function Check({ label, checked, onChange }: { label: string; checked: boolean; onChange: (checked: boolean) => void }) {
  return (
    <label class="rk-check">
      <input type="checkbox" checked={checked} onChange={() => onChange(!checked)} />
      {label}
    </label>
  );
}

interface SelectProperties<Value extends string> {
  value: Value;
  options: readonly (readonly [Value, string])[];
  onValue: (value: Value) => void;
  label?: string;
}

export function Select<Value extends string>({ value, options, onValue, label }: SelectProperties<Value>) {
  return (
    <select value={value} aria-label={label} onChange={(event) => onValue((event.target as HTMLSelectElement).value as Value)}>
      {options.map(([name, title]) => (
        <option value={name}>{title}</option>
      ))}
    </select>
  );
}
