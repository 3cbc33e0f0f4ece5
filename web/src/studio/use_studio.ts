// Hooks of the studio's screens.

import { useLayoutEffect, useReducer } from "preact/hooks";
import { onLanguage } from "../texts/texts";
import type { Studio } from "./studio";

/** Draw again when the studio or the language changes, also before the first frame (a layout effect). */
export function useStudio(studio: Studio): void {
  const [, again] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(() => {
    const ends = [studio.subscribe(() => again(undefined)), onLanguage(() => again(undefined))];
    return () => ends.forEach((end) => end());
  }, [studio]);
}
