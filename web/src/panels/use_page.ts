// Hooks of panels: draw again when the robot moves or the language changes. They listen as soon as the panel is
// drawn (a layout effect): what changes before the next frame is not missed.

import { useLayoutEffect, useReducer } from "preact/hooks";
import type { RobotState } from "../mechanics/robot_state";
import { onLanguage } from "../texts/texts";

/** Draw again, at most once a frame of the screen, when the robot has moved. */
export function useRobot(state: RobotState): void {
  const [, again] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(() => {
    let waiting = 0;
    const end = state.subscribe(() => {
      waiting ||= requestAnimationFrame(() => {
        waiting = 0;
        again(undefined);
      });
    });
    return () => {
      end();
      cancelAnimationFrame(waiting);
    };
  }, [state]);
}

export function useLanguage(): void {
  const [, again] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(() => onLanguage(() => again(undefined)), []);
}
