// Symbols of the robot with values and units; a symbol without a value stays a letter in formulas.

import { useState } from "preact/hooks";
import { text } from "../texts/texts";
import { Cell, Part, type Path } from "./cells";
import type { SymbolCells } from "./messages";
import type { Studio } from "./studio";

const FOLDED = 12; // more symbols than these are folded

export function SymbolTable({ studio, symbols }: { studio: Studio; symbols: SymbolCells[] }) {
  const [name, setName] = useState("");
  const [all, setAll] = useState(false);
  const shown = all || symbols.length <= FOLDED ? symbols : symbols.slice(0, FOLDED);
  const undeclared = (studio.checked?.missing ?? []).filter((own) => !symbols.some((symbol) => symbol.name === own));
  const declare = (own: string) => studio.edit({ type: "set_symbol", name: own, value: "", unit: "" });
  return (
    <Part title={text("table.symbols")}>
      {symbols.length > 0 && (
        <table class="rk-cells rk-symbols">
          <thead>
            <tr>
              <th scope="col">{text("studio.symbol")}</th>
              <th scope="col">{text("studio.value")}</th>
              <th scope="col">{text("studio.unit")}</th>
              <th scope="col">
                <span class="rk-hidden">{text("studio.delete")}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((symbol) => (
              <SymbolRow key={symbol.name} studio={studio} symbol={symbol} />
            ))}
          </tbody>
        </table>
      )}
      {symbols.length > shown.length && (
        <button type="button" class="rk-quiet" onClick={() => setAll(true)}>
          {text("studio.allSymbolsShown", { count: symbols.length })}
        </button>
      )}
      {undeclared.length > 0 && (
        <p class="rk-fields">
          {text("studio.undeclared")}
          {undeclared.slice(0, 20).map((own) => (
            <button type="button" onClick={() => void declare(own)}>
              + {own}
            </button>
          ))}
        </p>
      )}
      <form
        class="rk-add"
        onSubmit={(event) => {
          event.preventDefault();
          void declare(name.trim()).then((done) => done && setName(""));
        }}
      >
        <label>
          {text("studio.newSymbol")}
          <input type="text" size={8} value={name} placeholder={text("studio.name")} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <button type="submit" disabled={!name.trim()}>
          {text("studio.add")}
        </button>
      </form>
    </Part>
  );
}

function SymbolRow({ studio, symbol }: { studio: Studio; symbol: SymbolCells }) {
  const { name, value, unit } = symbol;
  const path: Path = ["symbols", name];
  return (
    <tr>
      <td>
        <Cell
          studio={studio}
          path={path}
          value={name}
          label={text("studio.symbol")}
          commit={(next) => studio.edit({ type: "rename", part: "symbol", old: name, new: next })}
        />
      </td>
      <td>
        <Cell
          studio={studio}
          path={[...path, "value"]}
          value={value}
          label={`${name}: ${text("studio.value")}`}
          empty={text("studio.noValue")}
          commit={(next) => studio.edit({ type: "set_symbol", name, value: next, unit })}
        />
      </td>
      <td>
        <Cell
          studio={studio}
          path={[...path, "unit"]}
          value={unit}
          label={`${name}: ${text("studio.unit")}`}
          commit={(next) => studio.edit({ type: "set_symbol", name, value, unit: next })}
        />
      </td>
      <td class="rk-row-tools">
        <button type="button" aria-label={`${name}: ${text("studio.delete")}`} onClick={() => void studio.edit({ type: "delete_symbol", name })}>
          <span aria-hidden="true">✕</span>
        </button>
      </td>
    </tr>
  );
}
