// Light and dark: the system's choice unless the reader chooses.

export function addThemeButton(button: HTMLElement, changed: () => void): void {
  const root = document.documentElement;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  button.addEventListener("click", () => {
    const now = root.dataset["theme"] ?? (dark.matches ? "dark" : "light");
    root.dataset["theme"] = now === "dark" ? "light" : "dark";
    changed();
  });
}
