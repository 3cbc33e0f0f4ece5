import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TEXTS } from "../src/texts/texts";

const names = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((found) => found[1]).sort();

test("every text exists in every language, with the same names to fill in", () => {
  expect(Object.keys(TEXTS.ja)).toEqual(Object.keys(TEXTS.en));
  for (const key of Object.keys(TEXTS.en) as (keyof typeof TEXTS.en)[]) {
    expect(TEXTS.ja[key].trim(), key).not.toBe("");
    expect(names(TEXTS.ja[key]), key).toEqual(names(TEXTS.en[key]));
  }
});

test("Japanese texts are Japanese", () => {
  const latin = Object.entries(TEXTS.ja).filter(([, text]) => !/[぀-ヿ一-鿿]/.test(text));
  expect(latin).toEqual([]);
});

test("every key that scripts use is in the table", () => {
  const folder = join(import.meta.dirname, "..", "src");
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
  for (const name of sources) {
    const source = readFileSync(join(folder, name), "utf8");
    for (const found of source.matchAll(/"((?:page|viewer|state|formula|simulation|screen|studio)\.[a-z]\w*)"/g))
      expect(Object.keys(TEXTS.en), `${found[1]} in ${name}`).toContain(found[1]);
  }
});
