// Formulas by KaTeX in place of MathML, when they come into view; buttons that copy a law as text.

import katex from "katex";
import { KATEX } from "../panels/katex_options";
import { onLanguage, text } from "../texts/texts";

/** Render formulas (elements with data-latex) as they come into view; all of them before printing. */
export function renderFormulas(root: ParentNode): void {
  const rendered = new Set<HTMLElement>();
  const waiting = new Set(root.querySelectorAll<HTMLElement>("[data-latex]"));
  const render = (element: HTMLElement) => {
    if (!waiting.delete(element)) return;
    observer.unobserve(element);
    const holder = document.createElement("span");
    const options = { ...KATEX, displayMode: "display" in element.dataset };
    element.dataset["latex"] = latexOf(element);
    katex.render(`\\displaystyle ${element.dataset["latex"]}`, holder, options);
    if (holder.querySelector(".katex-error")) return;
    element.replaceChildren(...holder.childNodes);
    element.classList.add("rk-rendered");
    const line = element.closest<HTMLElement>(".rk-line, .rk-textbook, td");
    if (line) rendered.add(line);
  };
  const renderAll = (elements: Iterable<HTMLElement>) => {
    for (const element of elements) render(element);
    fit([...rendered]);
    rendered.clear();
  };
  const observer = new IntersectionObserver(
    (entries) => renderAll(entries.filter((entry) => entry.isIntersecting).map((entry) => entry.target as HTMLElement)),
    { rootMargin: "400px" },
  );
  for (const element of waiting) observer.observe(element);
  requestAnimationFrame(() => scrollable([...root.querySelectorAll<HTMLElement>(".rk-line, .rk-textbook")]));
  for (const face of document.fonts) void face.load(); // ready when a page is printed
  window.addEventListener("beforeprint", () => {
    renderAll([...waiting].filter((element) => !element.closest("details:not([open])")));
  });
}

const PAPER = 640; // width of a formula on A4 paper [px]
const SMALLEST = 0.7; // of the size of formulas on a screen, beyond which they scroll

/**
 * Make formulas smaller whose widest unbreakable part is wider than its place, on the screen and on paper. All are
 * measured before any is changed: each change would lay the page out again.
 */
function fit(lines: readonly HTMLElement[]): void {
  const sizes = lines.map((line) => {
    const parts = [...line.querySelectorAll<HTMLElement>(".katex-base")];
    const widest = Math.max(0, ...parts.map((part) => part.offsetWidth)) + parseFloat(getComputedStyle(line).paddingLeft);
    return { line, widest, place: (line.closest<HTMLElement>(".rk-wide") ?? line).clientWidth };
  });
  for (const { line, widest, place } of sizes) {
    if (widest > PAPER) line.style.setProperty("--rk-paper", (PAPER / widest).toFixed(3));
    if (widest > place) line.style.setProperty("--rk-screen", Math.max(SMALLEST, place / widest).toFixed(3));
    if (line.localName !== "td" && widest * SMALLEST > place) line.tabIndex = 0; // the keyboard scrolls it
  }
}

/** Let the keyboard scroll lines that are wider than their places. */
function scrollable(lines: readonly HTMLElement[]): void {
  const wide = lines.filter((line) => line.scrollWidth > line.clientWidth);
  for (const line of wide) line.tabIndex = 0;
}

const latexOf = (element: HTMLElement): string => element.dataset["latex"] || (element.textContent ?? "");

/** The formulas below `place`, one a line. */
function linesOf(place: ParentNode | null | undefined): string {
  const lines = [...(place?.querySelectorAll<HTMLElement>("[data-latex]") ?? [])].map((own) => `& ${latexOf(own)}`);
  return `\\begin{aligned}\n${lines.join(" \\\\\n")}\n\\end{aligned}`;
}

/**
 * Buttons that copy code: a container .rk-copy followed by a data block with the texts by language. data-lines: the
 * LaTeX is that of the formulas in this part of the article, which is not written twice.
 */
export function addCopyButtons(root: ParentNode): void {
  for (const holder of root.querySelectorAll<HTMLElement>(".rk-copy")) {
    const block = holder.querySelector<HTMLElement>("script[type='application/json']");
    if (!block?.textContent) continue;
    const title = document.createElement("span");
    title.dataset["text"] = "page.copy";
    title.textContent = text("page.copy");
    holder.append(title);
    const codes = Object.entries(JSON.parse(block.textContent) as Record<string, string>).map(([language, code]) => [language, () => code] as const);
    const lines = holder.dataset["lines"];
    if (lines) codes.unshift(["LaTeX", () => linesOf(holder.closest("article")?.querySelector(lines))]);
    for (const [language, code] of codes) {
      const button = document.createElement("button");
      button.type = "button";
      const name = () => (button.textContent = language);
      name();
      button.setAttribute("aria-label", `${text("page.copy")}: ${language}`);
      button.addEventListener("click", () => {
        void copied(code()).then(() => {
          button.textContent = text("page.copied");
          setTimeout(name, 1200);
        });
      });
      holder.append(button);
    }
    onLanguage(() => {
      for (const button of holder.querySelectorAll("button"))
        button.setAttribute("aria-label", `${text("page.copy")}: ${button.textContent}`);
    });
  }
}

/** Copy a text; pages from a file may lack the clipboard's interface. */
export async function copied(code: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(code);
  } catch {
    const area = document.createElement("textarea");
    area.value = code;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}
