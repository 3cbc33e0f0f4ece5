// Texts of pages in English and Japanese. en.json and ja.json serve scripts and the pages that Python writes;
// the others serve the studio: its frame and editing screens, and its screens of analysis.

import analysisEn from "./analysis_en.json";
import analysisJa from "./analysis_ja.json";
import pageEn from "./en.json";
import pageJa from "./ja.json";
import studioEn from "./studio_en.json";
import studioJa from "./studio_ja.json";

const en = { ...pageEn, ...studioEn, ...analysisEn };
const ja = { ...pageJa, ...studioJa, ...analysisJa };

export type TextKey = keyof typeof en;
export type Language = "en" | "ja";

export const TEXTS: Record<Language, Record<TextKey, string>> = { en, ja };
export const LANGUAGES = Object.keys(TEXTS) as Language[];

let current: Language = "en";
const listeners = new Set<() => void>();

/** The text of a key in the present language, with {names} replaced. */
export function text(key: TextKey, values: Record<string, string | number> = {}): string {
  return TEXTS[current][key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** The text of a key, or the text itself where it is none. */
export function titleText(title: string): string {
  return Object.hasOwn(TEXTS[current], title) ? text(title as TextKey) : title;
}

export const language = (): Language => current;

/** Change the language of scripts and of all elements with data-text. */
export function setLanguage(next: Language, root: ParentNode = document): void {
  current = next;
  if (root instanceof Document) root.documentElement.lang = next;
  for (const element of root.querySelectorAll<HTMLElement>("[data-text]")) {
    const values = JSON.parse(element.dataset["values"] ?? "{}") as Record<string, string | number>;
    element.textContent = text(element.dataset["text"] as TextKey, values);
  }
  for (const listener of listeners) listener();
}

/** Call back after each change of the language; returns a function that ends this. */
export function onLanguage(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
