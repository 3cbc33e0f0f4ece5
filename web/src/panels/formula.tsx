// One formula by KaTeX, rendered in short slices of time; where there are thousands, when it comes into view.

import katex from "katex";
import { useLayoutEffect, useRef } from "preact/hooks";
import { KATEX } from "./katex_options";
import { renderLater } from "./render_queue";

interface Properties {
  latex: string;
  display?: boolean;
  /** The formula as text, shown until it comes into view; without it the formula is rendered at once. */
  plain?: string;
}

export function Formula({ latex, display = false, plain }: Properties) {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const own = place.current!;
    if (plain !== undefined) own.textContent = plain;
    return renderLater(own, plain !== undefined, () => katex.render(`\\displaystyle ${latex}`, own, { ...KATEX, displayMode: display }));
  }, [latex, display]);
  return <span class="rk-katex" ref={place} />;
}
