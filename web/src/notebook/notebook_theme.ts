// Light or dark as the notebook around the cell: JupyterLab, VS Code and marimo mark it on body or html.

/** The theme that the notebook has chosen; null where it follows the system. */
export function notebookTheme(): "light" | "dark" | null {
  const { body, documentElement: html } = document;
  const lab = body.dataset["jpThemeLight"];
  if (lab !== undefined) return lab === "false" ? "dark" : "light";
  const marks = [...body.classList, ...html.classList];
  if (marks.some((name) => /^(vscode-dark|vscode-high-contrast|dark|dark-theme|theme-dark)$/.test(name))) return "dark";
  if (marks.some((name) => /^(vscode-light|light|light-theme|theme-light)$/.test(name))) return "light";
  const stated = html.dataset["theme"] ?? body.dataset["theme"];
  return stated === "dark" || stated === "light" ? stated : null;
}

/** Keep the theme of an element that of the notebook; returns a function that ends this. */
export function followTheme(element: HTMLElement, changed: () => void): () => void {
  const apply = () => {
    const theme = notebookTheme();
    if ((element.dataset["theme"] ?? null) === theme) return;
    if (theme) element.dataset["theme"] = theme;
    else delete element.dataset["theme"];
    changed();
  };
  apply();
  const observer = new MutationObserver(apply);
  for (const marked of [document.documentElement, document.body])
    observer.observe(marked, { attributes: true, attributeFilter: ["class", "data-jp-theme-light", "data-theme"] });
  return () => observer.disconnect();
}
