// The bar below the picture: layers, trail, ghosts, view.

import { useState } from "preact/hooks";
import { text, type TextKey } from "../texts/texts";
import { LAYERS, type LayerName } from "../viewer/layers";
import type { Viewer } from "../viewer/viewer";
import { useLanguage } from "./use_page";

export function ViewerBar({ viewer }: { viewer: Viewer }) {
  useLanguage();
  const { robot } = viewer.state;
  const [shown, setShown] = useState(new Map(viewer.layers.shown));
  const [trail, setTrail] = useState(false);
  const [ghosts, setGhosts] = useState(-1);
  const has: Record<LayerName, boolean> = {
    frames: robot.frames.length > 0,
    names: robot.frames.length > 0,
    axes: robot.seats.some((seat) => seat.shape === "cylinder" || seat.shape === "box"),
    masses: robot.masses.length > 0,
    inertia: robot.masses.some((mass) => mass.radii !== null),
    limits: robot.coordinates.some((own) => own.lower !== null && own.upper !== null),
  };
  const hand = robot.frames.findIndex((frame) => frame.law !== "");
  const toggle = (name: LayerName) => {
    viewer.show(name, !viewer.layers.shown.get(name));
    setShown(new Map(viewer.layers.shown));
  };
  return (
    <div class="rk-bar" role="toolbar" aria-label={text("viewer.layers")}>
      {LAYERS.filter((name) => has[name]).map((name) => (
        <button type="button" aria-pressed={shown.get(name)} onClick={() => toggle(name)}>
          {text(`viewer.${name}` as TextKey)}
        </button>
      ))}
      {hand >= 0 && (
        <button
          type="button"
          aria-pressed={trail}
          onClick={() => {
            viewer.drawTrail(trail ? -1 : viewer.selected >= 0 ? viewer.selected : hand);
            setTrail(!trail);
          }}
        >
          {text("viewer.trail")}
        </button>
      )}
      {robot.ghosts.map((set, k) => (
        <button
          type="button"
          aria-pressed={ghosts === k}
          onClick={() => {
            const [first, ...others] = set.positions;
            if (ghosts !== k && first) viewer.state.set(first);
            viewer.setGhosts(ghosts === k ? [] : others);
            setGhosts(ghosts === k ? -1 : k);
          }}
        >
          {text(set.title as TextKey)}
        </button>
      ))}
      <button type="button" onClick={() => viewer.resetView()}>
        {text("viewer.resetView")}
      </button>
    </div>
  );
}
