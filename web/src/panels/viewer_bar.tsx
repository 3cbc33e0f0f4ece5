// The bar below the picture: layers, trail, ghosts, view.

import { useEffect, useState } from "preact/hooks";
import type { NamedConfigurations } from "../document/model_document";
import { configurationsNow, nearest, type Configurations } from "../mechanics/branches";
import { text, titleText, type TextKey } from "../texts/texts";
import { LAYERS, type LayerName } from "../viewer/layers";
import type { Viewer } from "../viewer/viewer";
import { useLanguage } from "./use_page";
import { VibrationBar } from "./vibration_bar";

/** opened: ghosts and the first deflection or vibration mode are shown at once. */
export function ViewerBar({ viewer, opened = false }: { viewer: Viewer; opened?: boolean }) {
  useLanguage();
  const { robot } = viewer.state;
  const [shown, setShown] = useState(new Map(viewer.layers.shown));
  const [trail, setTrail] = useState(false);
  const [ghosts, setGhosts] = useState(-1);
  const [rows, setRows] = useState<Configurations>({ names: [], positions: [] });
  const [branch, setBranch] = useState(0);
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
  /** One configuration of a set is the robot's, the others are ghosts. */
  const showRows = (found: Configurations, k: number) => {
    setRows(found);
    setBranch(k);
    viewer.setGhosts(found.positions.filter((_, other) => other !== k));
  };
  const showBranch = (found: Configurations, k: number) => {
    if (found.positions[k]) viewer.state.set(found.positions[k]);
    showRows(found, k);
  };
  const showGhosts = (number: number) => {
    setGhosts(number);
    const set = robot.ghosts[number];
    if (!set) viewer.setGhosts([]);
    else if (set.law) showComputed(set);
    else showBranch(set, 0);
  };
  const showComputed = (set: NamedConfigurations) => {
    const found = configurationsNow(set, viewer.state);
    showRows(found, nearest(found.positions, viewer.state));
  };
  useEffect(() => {
    const set = robot.ghosts[ghosts];
    if (!set?.law) return undefined;
    let waiting = 0;
    const update = () => {
      waiting = 0;
      showComputed(set);
    };
    const end = viewer.state.subscribe((state) => {
      if (!state.playing) waiting ||= requestAnimationFrame(update);
    });
    return () => {
      cancelAnimationFrame(waiting);
      end();
    };
  }, [viewer, ghosts]);
  useEffect(() => {
    if (opened && robot.ghosts.length) showGhosts(0);
  }, [viewer]);
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
            viewer.drawTrail(trail ? -1 : viewer.handles.selected >= 0 ? viewer.handles.selected : hand);
            setTrail(!trail);
          }}
        >
          {text("viewer.trail")}
        </button>
      )}
      {robot.ghosts.map((set, k) => (
        <button type="button" aria-pressed={ghosts === k} onClick={() => showGhosts(ghosts === k ? -1 : k)}>
          {titleText(set.title)}
        </button>
      ))}
      <button type="button" onClick={() => viewer.resetView()}>
        {text("viewer.resetView")}
      </button>
      {robot.beams.map((mesh, k) => (
        <VibrationBar viewer={viewer} mesh={mesh} first={opened && k === 0 ? 0 : -1} key={mesh.title} />
      ))}
      {ghosts >= 0 && (
        <div class="rk-branches" role="group" aria-label={titleText(robot.ghosts[ghosts]!.title)}>
          {rows.positions.map((_, k) => (
            <button type="button" aria-pressed={branch === k} onClick={() => showBranch(rows, k)}>
              {rows.names[k] ?? k + 1}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
