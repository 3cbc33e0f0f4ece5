// Another robot in the picture for a while: on a free base, or of a paper. The document's robot comes back.

import { useEffect, useRef, useState } from "preact/hooks";
import type { RobotDocument } from "../../document/model_document";
import { RobotState } from "../../mechanics/robot_state";
import type { Studio } from "../studio";

export interface ShownRobot {
  /** The robot of the document. */
  own: RobotState | null;
  /** The robot that the picture shows. */
  shown: RobotState | null;
  /** Show another robot; null: that of the document. */
  show: (document: RobotDocument | null) => Promise<void>;
}

export function useShownRobot(studio: Studio): ShownRobot {
  const own = useRef(studio.state);
  const other = useRef<RobotState | null>(null);
  const [, again] = useState(0);
  if (studio.state !== other.current) own.current = studio.state; // a new revision of the document
  useEffect(
    () => () => {
      if (other.current && studio.state === other.current) {
        studio.state = own.current;
        studio.changed();
      }
    },
    [studio],
  );
  const show = async (document: RobotDocument | null) => {
    other.current = document ? await RobotState.of(document) : null;
    studio.state = other.current ?? own.current;
    studio.changed();
    again((count) => count + 1);
  };
  return { own: own.current, shown: studio.state, show };
}
