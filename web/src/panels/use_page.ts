// Hooks of panels: draw again when the robot moves or the language changes.

import { useEffect, useReducer } from "preact/hooks";
import type { RobotState } from "../mechanics/robot_state";
import { onLanguage } from "../texts/texts";

/** Draw again, at most once a frame of the screen, when the robot has moved. */
export function useRobot(state: RobotState): void {
  const [, again] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
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
  useEffect(() => onLanguage(() => again(undefined)), []);
}
