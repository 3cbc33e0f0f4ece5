// Texts of the page in English and Japanese: one table for scripts and for the pages that Python writes.

import en from "./en.json";
import ja from "./ja.json";

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
