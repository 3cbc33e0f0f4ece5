// How KaTeX renders formulas on all pages.

/** A formula that KaTeX cannot read is shown as its text; maxSize bounds lengths [em]. */
export const KATEX = { throwOnError: false, strict: "ignore", maxSize: 60 } as const;
