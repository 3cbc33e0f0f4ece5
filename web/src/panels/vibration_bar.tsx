// Deflections and vibration modes: choose one, see it move slowly, change its amplitude.

import { useEffect, useState } from "preact/hooks";
import type { BeamMesh } from "../document/model_document";
import { text, titleText } from "../texts/texts";
import type { Viewer } from "../viewer/viewer";
import { useLanguage } from "./use_page";

const PERIOD = 1.6; // of a vibration in the picture [s]

/** Readers who prefer less motion start the animation themselves. */
const still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

/** first: the shape shown at the beginning, -1 for the rigid robot. */
export function VibrationBar({ viewer, mesh, first = -1 }: { viewer: Viewer; mesh: BeamMesh; first?: number }) {
  useLanguage();
  const [shape, setShape] = useState(first);
  const [moving, setMoving] = useState(!still());
  const [amplitude, setAmplitude] = useState(1);
  const vibrates = shape >= 0 && mesh.shapes[shape]!.frequency !== null;
  const factor = shape >= 0 ? viewer.displacementFactor(mesh, shape) * amplitude : 0;

  useEffect(() => {
    if (shape < 0) return;
    viewer.state.set(mesh.q);
    const deformed = viewer.setBeams(mesh, shape)!;
    let handle = 0;
    const start = performance.now();
    const frame = () => {
      const phase = vibrates && moving ? ((performance.now() - start) / 1000 / PERIOD) * 2 * Math.PI : 0;
      viewer.showDeformed(deformed, phase, amplitude);
      if (vibrates && moving) handle = requestAnimationFrame(frame);
    };
    frame();
    return () => {
      cancelAnimationFrame(handle);
      viewer.setBeams(null);
    };
  }, [viewer, mesh, shape, moving, amplitude]);

  return (
    <div class="rk-vibration" role="group" aria-label={titleText(mesh.title)}>
      <label>
        <span>{titleText(mesh.title)}</span>
        <select value={shape} onChange={(event) => setShape(Number((event.target as HTMLSelectElement).value))}>
          <option value={-1}>{text("viewer.rigid")}</option>
          {mesh.shapes.map((own, k) => (
            <option value={k}>{own.name || text("viewer.deflected")}</option>
          ))}
        </select>
      </label>
      {vibrates && (
        <button type="button" onClick={() => setMoving(!moving)}>
          {text(moving ? "simulation.pause" : "simulation.play")}
        </button>
      )}
      {shape >= 0 && (
        <label>
          <span>{text("viewer.amplitude")}</span>
          <input
            type="range"
            min={0.1}
            max={3}
            step={0.1}
            value={amplitude}
            onInput={(event) => setAmplitude(Number((event.target as HTMLInputElement).value))}
          />
          <output>× {factor.toPrecision(3)}</output>
        </label>
      )}
    </div>
  );
}
