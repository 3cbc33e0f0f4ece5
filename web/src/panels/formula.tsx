// One formula by KaTeX.

import katex from "katex";
import { useEffect, useRef } from "preact/hooks";

export function Formula({ latex, display = false }: { latex: string; display?: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (!place.current) return;
    const options = { displayMode: display, throwOnError: false, strict: "ignore", maxSize: 60 } as const;
    katex.render(`\\displaystyle ${latex}`, place.current, options);
  }, [latex, display]);
  return <span class="rk-katex" ref={place} />;
}
