// Editable cells in tables: typed text goes to the server when the cell is left; mistakes are shown at the cell;
// arrows move between cells; a block of a spreadsheet is pasted from the cell on.

import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { text } from "../texts/texts";
import type { CellMistake, SetValue } from "./messages";
import type { Studio } from "./studio";

export type Path = (string | number)[];

const same = (a: Path, b: Path) => a.length === b.length && a.every((part, k) => part === b[k]);
const startsWith = (path: Path, head: Path) => head.every((part, k) => path[k] === part);

/** Mistakes of the newest revision. */
export const mistakes = (studio: Studio): CellMistake[] => studio.checked?.mistakes ?? [];

/** The mistake of a cell, "" if it has none. */
export const mistakeAt = (studio: Studio, path: Path): string =>
  mistakes(studio)
    .filter((own) => same(own.path, path))
    .map((own) => own.message)
    .join(" ");

/** Mistakes within a table of the file that belong to none of its shown cells, and those that do. */
export function mistakesIn(studio: Studio, head: Path): CellMistake[] {
  return mistakes(studio).filter((own) => startsWith(own.path, head));
}

interface CellProps {
  studio: Studio;
  path: Path;
  value: string;
  label: string;
  /** What an empty cell means; shown in grey. */
  empty?: string;
  commit?: (value: string) => Promise<boolean>;
  wide?: boolean;
  onFocus?: () => void;
}

/** One cell. */
export function Cell({ studio, path, value, label, empty = "", commit, wide = false, onFocus }: CellProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const message = mistakeAt(studio, path);
  const leave = async () => {
    if (typed === null || typed.trim() === value) return setTyped(null);
    await (commit ?? ((next) => studio.edit({ type: "set_value", path, value: next })))(typed);
    return setTyped((now) => (now === typed ? null : now)); // what has been typed since stays
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === "Escape" && typed !== null) {
      setTyped(null);
      event.stopPropagation();
    } else if (event.key === "Enter" || event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const up = event.key === "ArrowUp" || (event.key === "Enter" && event.shiftKey);
      if (!moveRow(input.current!, up ? -1 : 1)) input.current!.blur();
    }
  };
  return (
    <span class={wide ? "rk-cell rk-cell-wide" : "rk-cell"}>
      <input
        ref={input}
        type="text"
        spellcheck={false}
        autocomplete="off"
        aria-label={label}
        aria-invalid={message !== ""}
        aria-describedby={message ? id : undefined}
        title={message || undefined}
        placeholder={empty}
        value={typed ?? value}
        data-path={JSON.stringify(path)}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => void leave()}
        onFocus={(event) => {
          event.currentTarget.select();
          onFocus?.();
        }}
        onKeyDown={key}
        onPaste={(event) => {
          if (pasteBlock(studio, input.current!, event)) setTyped(null);
        }}
      />
      {message && (
        <span class="rk-cell-mistake" id={id} role="alert">
          {message.split("\n")[0]}
        </span>
      )}
    </span>
  );
}

const rows = (table: HTMLTableElement): HTMLInputElement[][] =>
  [...table.tBodies]
    .flatMap((body) => [...body.rows])
    .map((row) => [...row.querySelectorAll<HTMLInputElement>("input[data-path]")])
    .filter((row) => row.length > 0);

function placeOf(input: HTMLInputElement): { grid: HTMLInputElement[][]; row: number; column: number } | null {
  const table = input.closest("table");
  if (!table) return null;
  const grid = rows(table);
  const row = grid.findIndex((own) => own.includes(input));
  return row < 0 ? null : { grid, row, column: grid[row]!.indexOf(input) };
}

/** Focus the cell above or below; false at the end of the table. */
function moveRow(input: HTMLInputElement, step: number): boolean {
  const place = placeOf(input);
  const next = place?.grid[place.row + step]?.[place.column];
  next?.focus();
  return next !== undefined;
}

/** Paste rows and columns of a spreadsheet; false for a text without them, which the cell takes itself. */
function pasteBlock(studio: Studio, input: HTMLInputElement, event: ClipboardEvent): boolean {
  const block = event.clipboardData?.getData("text/plain") ?? "";
  const place = placeOf(input);
  if (!place || !/[\t\n]/.test(block.trim())) return false;
  event.preventDefault();
  const cells: SetValue[] = [];
  let lost = 0;
  block
    .replace(/\r\n?/g, "\n")
    .replace(/\n$/, "")
    .split("\n")
    .forEach((line, i) =>
      line.split("\t").forEach((value, j) => {
        const target = place.grid[place.row + i]?.[place.column + j];
        if (target) cells.push({ type: "set_value", path: JSON.parse(target.dataset["path"]!) as Path, value });
        else lost += 1;
      }),
    );
  void studio.edit({ type: "paste_block", cells }).then((done) => {
    if (done && lost) studio.say(text("studio.pasteLost", { count: lost }));
  });
  return true;
}

interface ChoiceProps {
  value: string;
  options: readonly string[];
  label: string;
  names?: (option: string) => string;
  change: (value: string) => void;
  path?: Path;
  studio?: Studio;
}

/** One of several names; a value of the file that is none of them is shown too. */
export function Choice({ value, options, label, names = (option) => option, change, path, studio }: ChoiceProps) {
  const all = options.includes(value) ? options : [value, ...options];
  const message = path && studio ? mistakeAt(studio, path) : "";
  return (
    <span class="rk-cell">
      <select
        aria-label={label}
        aria-invalid={message !== ""}
        title={message || undefined}
        value={value}
        onChange={(event) => change(event.currentTarget.value)}
      >
        {all.map((option) => (
          <option value={option} key={option}>
            {names(option)}
          </option>
        ))}
      </select>
      {message && (
        <span class="rk-cell-mistake" role="alert">
          {message.split("\n")[0]}
        </span>
      )}
    </span>
  );
}

/** Mistakes of a part of the file that no shown cell has. */
export function OtherMistakes({ studio, head, cells }: { studio: Studio; head: Path; cells: Path[] }) {
  const shown = mistakesIn(studio, head).filter((own) => !cells.some((path) => same(path, own.path)));
  if (!shown.length) return null;
  return (
    <ul class="rk-mistakes" role="alert">
      {shown.map((own) => (
        <li>{own.message}</li>
      ))}
    </ul>
  );
}

/** A titled part of a screen. */
export function Part({ title, children, tools }: { title: string; children: ComponentChildren; tools?: ComponentChildren }) {
  return (
    <section class="rk-part">
      <header>
        <h2>{title}</h2>
        {tools}
      </header>
      {children}
    </section>
  );
}
