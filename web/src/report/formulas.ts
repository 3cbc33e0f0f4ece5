// Formulas by KaTeX in place of MathML, when they come into view; buttons that copy a law as text.

import katex from "katex";
import { onLanguage, text } from "../texts/texts";

/** Render formulas (elements with data-latex) as they come into view; all of them before printing. */
export function renderFormulas(root: ParentNode): void {
  const waiting = new Set(root.querySelectorAll<HTMLElement>("[data-latex]"));
  const render = (element: HTMLElement) => {
    if (!waiting.delete(element)) return;
    observer.unobserve(element);
    const holder = document.createElement("span");
    const options = { displayMode: "display" in element.dataset, throwOnError: false, strict: "ignore", maxSize: 60 } as const;
    katex.render(`\\displaystyle ${element.dataset["latex"] || element.textContent}`, holder, options);
    if (holder.querySelector(".katex-error")) return;
    element.replaceChildren(...holder.childNodes);
    element.classList.add("rk-rendered");
    const line = element.closest<HTMLElement>(".rk-line, .rk-textbook");
    if (line) scrollable(line);
  };
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) if (entry.isIntersecting) render(entry.target as HTMLElement);
    },
    { rootMargin: "400px" },
  );
  for (const element of waiting) observer.observe(element);
  requestAnimationFrame(() => {
    for (const line of root.querySelectorAll<HTMLElement>(".rk-line, .rk-textbook")) scrollable(line);
  });
  for (const face of document.fonts) void face.load(); // ready when a page is printed
  window.addEventListener("beforeprint", () => {
    for (const element of [...waiting]) if (!element.closest("details:not([open])")) render(element);
  });
}

/** Let the keyboard scroll a line that is wider than its place. */
function scrollable(line: HTMLElement): void {
  if (line.scrollWidth > line.clientWidth) line.tabIndex = 0;
  else line.removeAttribute("tabindex");
}

/** Buttons that copy code: a container .rk-copy followed by a data block with the texts by language. */
export function addCopyButtons(root: ParentNode): void {
  for (const holder of root.querySelectorAll<HTMLElement>(".rk-copy")) {
    const block = holder.querySelector<HTMLElement>("script[type='application/json']");
    if (!block?.textContent) continue;
    const title = document.createElement("span");
    title.dataset["text"] = "page.copy";
    title.textContent = text("page.copy");
    holder.append(title);
    const codes = JSON.parse(block.textContent) as Record<string, string>;
    for (const [language, code] of Object.entries(codes)) {
      const button = document.createElement("button");
      button.type = "button";
      const name = () => (button.textContent = language);
      name();
      button.setAttribute("aria-label", `${text("page.copy")}: ${language}`);
      button.addEventListener("click", () => {
        void copied(code).then(() => {
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
async function copied(code: string): Promise<void> {
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
