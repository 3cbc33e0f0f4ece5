// Bodies of the picture that are clicked, and bodies shown in the colour of selections.

import { Color, Mesh, MeshStandardMaterial, Raycaster, Vector2, type Camera, type Group, type Material } from "three";

const SELECTED = new Color(0x2f7fd6);
const STILL = 5; // [px] a pointer moves at most between press and release of a click

export class BodyPicking {
  listener: ((body: number) => void) | null = null;
  private readonly ended = new AbortController();
  private readonly plain = new Map<Mesh, Material | Material[]>();
  private readonly raycaster = new Raycaster();

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly camera: Camera,
    private readonly groups: ReadonlyMap<number, Group>,
    private readonly draw: () => void,
  ) {
    const { signal } = this.ended;
    let [x, y] = [0, 0];
    canvas.addEventListener("pointerdown", (event) => ([x, y] = [event.clientX, event.clientY]), { signal, capture: true });
    canvas.addEventListener(
      "pointerup",
      (event) => {
        if (!this.listener || Math.hypot(event.clientX - x, event.clientY - y) > STILL) return;
        const body = this.bodyAt(event.clientX, event.clientY);
        if (body !== null) this.listener(body);
      },
      { signal },
    );
  }

  /** The nearest body under a point of the window; null if there is none. */
  bodyAt(x: number, y: number): number | null {
    const box = this.canvas.getBoundingClientRect();
    const pointer = new Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height);
    this.raycaster.setFromCamera(pointer, this.camera);
    let [best, found]: [number, number | null] = [Infinity, null];
    for (const [body, group] of this.groups) {
      const solids = group.children.filter((own) => own instanceof Mesh && own.material instanceof MeshStandardMaterial);
      for (const hit of this.raycaster.intersectObjects(solids, false))
        if (hit.distance < best) [best, found] = [hit.distance, body];
    }
    return found;
  }

  /** Bodies in the colour of selections. */
  highlighted: readonly number[] = [];

  highlight(bodies: readonly number[]): void {
    this.highlighted = [...bodies];
    for (const [mesh, material] of this.plain) {
      for (const copy of [mesh.material].flat()) copy.dispose();
      mesh.material = material;
    }
    this.plain.clear();
    for (const body of bodies)
      for (const own of this.groups.get(body)?.children ?? []) {
        if (!(own instanceof Mesh) || !(own.material instanceof MeshStandardMaterial)) continue;
        this.plain.set(own, own.material);
        const shown = own.material.clone();
        shown.emissive = SELECTED;
        shown.emissiveIntensity = 0.55;
        own.material = shown;
      }
    this.draw();
  }

  dispose(): void {
    this.ended.abort();
  }
}
