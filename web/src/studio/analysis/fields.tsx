// Fields of forms: numbers, vectors, texts, choices. A number that is none keeps its text and says so.

import { useEffect, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";

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

export function NumberInput({ value, onValue, least = -Infinity, label }: NumberProperties) {
  const [typed, setTyped] = useState(String(value));
  useEffect(() => setTyped((last) => (Number(last) === value ? last : String(value))), [value]);
  const number = Number(typed);
  const valid = typed.trim() !== "" && Number.isFinite(number) && number >= least;
  return (
    <input
      type="text"
      inputMode="decimal"
      class="rk-number-input"
      aria-label={label}
      aria-invalid={!valid}
      value={typed}
      onInput={(event) => {
        const next = (event.target as HTMLInputElement).value;
        setTyped(next);
        const x = Number(next);
        if (next.trim() !== "" && Number.isFinite(x) && x >= least) onValue(x);
      }}
    />
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
