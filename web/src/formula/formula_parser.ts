// Reads a formula typed by a person, with the grammar of the Python package, into a function of named numbers.
//
// sum     = product { ("+" | "-") product }
// product = signed { ("*" | "/") signed }
// signed  = { "+" | "-" } power
// power   = item [ ("^" | "**") signed ]
// item    = number | name | ("sin" | "cos" | "sqrt" | "sign") "(" sum ")" | "(" sum ")"
//
// Nothing is ever evaluated as code: the text becomes a tree of closures.

export type Values = ArrayLike<number>;
export type Evaluated = (values: Values) => number;

/** A mistake in a formula, with the place where reading stopped. */
export class BadFormula extends Error {
  constructor(
    readonly reason: string,
    readonly position: number,
    readonly detail: string = "",
  ) {
    super(`${reason}${detail && `: ${detail}`} (at ${position + 1})`);
    this.name = "BadFormula";
  }
}

const LONGEST = 1000;
const DEEPEST = 100;
const TOKEN = /\s*(?:((?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|([A-Za-z_][A-Za-z_0-9]*)|(\*\*|[-+*/^()])|($))/y;
const FUNCTIONS: Record<string, (x: number) => number> = {
  sin: Math.sin,
  cos: Math.cos,
  sqrt: Math.sqrt,
  sign: Math.sign,
};
const CONSTANTS: Record<string, number> = { pi: Math.PI, deg: Math.PI / 180 };

interface Token {
  kind: "number" | "name" | "mark" | "end";
  text: string;
  at: number;
}

/** The function of a text; names: what its variables are called, in the order of the values. */
export function parseFormula(text: string, names: readonly string[]): Evaluated {
  if (text.length > LONGEST) throw new BadFormula("formula.longText", LONGEST);
  const places = new Map(names.map((name, k) => [name, k]));
  let end = 0;
  let depth = 0;
  let token = read();

  function read(): Token {
    TOKEN.lastIndex = end;
    const found = TOKEN.exec(text);
    if (!found) {
      const at = end + (/^\s*/.exec(text.slice(end))?.[0].length ?? 0);
      if (text[at] === ",") throw new BadFormula("formula.decimalComma", at);
      throw new BadFormula("formula.unknownCharacter", at, text[at] ?? "");
    }
    end = TOKEN.lastIndex;
    const kind = found[1] !== undefined ? "number" : found[2] !== undefined ? "name" : found[3] ? "mark" : "end";
    const own = found[1] ?? found[2] ?? found[3] ?? "";
    return { kind, text: own, at: end - own.length };
  }

  function take(...marks: string[]): string {
    if (token.kind !== "mark" || !marks.includes(token.text)) return "";
    const mark = token.text;
    token = read();
    return mark;
  }

  function deeper<T>(inside: () => T): T {
    if (++depth > DEEPEST) throw new BadFormula("formula.tooDeep", token.at);
    const result = inside();
    depth--;
    return result;
  }

  function sum(): Evaluated {
    let total = product();
    for (let mark = take("+", "-"); mark; mark = take("+", "-")) {
      const [a, b] = [total, product()];
      total = mark === "+" ? (x) => a(x) + b(x) : (x) => a(x) - b(x);
    }
    return total;
  }

  function product(): Evaluated {
    let total = signed();
    for (let mark = take("*", "/"); mark; mark = take("*", "/")) {
      const [a, b] = [total, signed()];
      total = mark === "*" ? (x) => a(x) * b(x) : (x) => a(x) / b(x);
    }
    return total;
  }

  function signed(): Evaluated {
    const mark = take("+", "-");
    if (!mark) return power();
    const value = deeper(signed);
    return mark === "-" ? (x) => -value(x) : value;
  }

  function power(): Evaluated {
    const base = item();
    if (!take("^", "**")) return base;
    const exponent = deeper(signed);
    return (x) => base(x) ** exponent(x);
  }

  function item(): Evaluated {
    const { kind, text: own, at } = token;
    if (kind === "number") {
      token = read();
      const value = Number(own);
      return () => value;
    }
    if (kind === "name") {
      token = read();
      return named(own, at);
    }
    if (take("(")) return closed();
    throw new BadFormula(kind === "end" ? "formula.endsEarly" : "formula.operandMissing", at, own);
  }

  function closed(): Evaluated {
    const inside = deeper(sum);
    if (!take(")")) throw new BadFormula("formula.bracketMissing", token.at);
    return inside;
  }

  function named(name: string, at: number): Evaluated {
    const own = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (own) {
      if (!take("(")) throw new BadFormula("formula.argumentMissing", at, name);
      const inside = closed();
      return (x) => own(inside(x));
    }
    if (Object.hasOwn(CONSTANTS, name)) {
      const value = CONSTANTS[name]!;
      return () => value;
    }
    const place = places.get(name);
    if (place === undefined) throw new BadFormula("formula.unknownName", at, name);
    return (x) => x[place]!;
  }

  const result = sum();
  if (token.kind === "end") return result;
  throw new BadFormula(token.text === ")" ? "formula.closesNothing" : "formula.operatorMissing", token.at, token.text);
}
