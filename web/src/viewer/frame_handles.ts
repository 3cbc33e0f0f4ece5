// Handles of frames: they are dragged in the plane of the screen, or moved by keys; else the camera moves.

import { Color, Mesh, MeshBasicMaterial, Plane, Raycaster, SphereGeometry, Vector2, Vector3, type Group } from "three";
import type { RobotState } from "../mechanics/robot_state";
import { sizes } from "./body_shapes";
import { HANDLE } from "./palette";
import type { ViewCamera } from "./view_camera";

const STEPS: Record<string, [number, number, number]> = {
  ArrowLeft: [-1, 0, 0],
  ArrowRight: [1, 0, 0],
  ArrowUp: [0, 1, 0],
  ArrowDown: [0, -1, 0],
  PageUp: [0, 0, -1],
  PageDown: [0, 0, 1],
};

export class FrameHandles {
  /** The frame that keys move; -1: the keys move the camera. */
  selected = -1;
  onSelect: (frame: number) => void = () => undefined;
  readonly meshes: Mesh[] = [];
  private readonly raycaster = new Raycaster();
  private dragged: { frame: number; plane: Plane; offset: Vector3 } | null = null;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly state: RobotState,
    private readonly view: ViewCamera,
    private readonly group: (body: number) => Group,
    private readonly request: () => void,
    signal: AbortSignal,
  ) {
    this.add();
    canvas.addEventListener("pointerdown", (event) => this.press(event), { capture: true, signal });
    canvas.addEventListener("pointermove", (event) => this.move(event), { signal });
    canvas.addEventListener("pointerup", () => this.release(), { signal });
    canvas.addEventListener("pointercancel", () => this.release(), { signal });
    canvas.addEventListener("keydown", (event) => this.key(event), { signal });
  }

  /** Select the frame that keys move. */
  select(frame: number): void {
    this.selected = frame;
    for (const handle of this.meshes)
      (handle.material as MeshBasicMaterial).opacity = handle.userData["frame"] === frame ? 0.9 : 0.5;
    this.onSelect(frame);
    this.request();
  }

  /** Place of a frame's handle on the screen [px], from the left top of the window. */
  place(frame: number): { x: number; y: number } {
    this.view.camera.updateMatrixWorld();
    return this.onScreen(new Vector3(...this.state.framePlace(frame)));
  }

  private add(): void {
    const { robot } = this.state;
    const { hub } = sizes(robot);
    const rgb = new Color().setRGB(...HANDLE, "srgb");
    robot.frames.forEach((frame, k) => {
      if (!frame.law || !this.state.dragging) return;
      const place = new Vector3(frame.pose[3], frame.pose[7], frame.pose[11]);
      const taken = this.group(frame.body).children.some((own) => this.meshes.includes(own as Mesh) && own.position.distanceTo(place) < 1e-9);
      if (taken) return; // another frame has the same origin
      const material = new MeshBasicMaterial({ color: rgb, transparent: true, opacity: 0.5, depthTest: false });
      const handle = new Mesh(new SphereGeometry(1.25 * hub, 20, 14), material);
      handle.position.copy(place);
      handle.userData["frame"] = k;
      handle.renderOrder = 5;
      this.group(frame.body).add(handle);
      this.meshes.push(handle);
    });
  }

  private aim(event: PointerEvent): void {
    const box = this.canvas.getBoundingClientRect();
    const pointer = new Vector2((2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height);
    this.raycaster.setFromCamera(pointer, this.view.camera);
  }

  private press(event: PointerEvent): void {
    this.aim(event);
    const frame = this.nearest(event);
    this.select(frame);
    if (frame < 0) return;
    const place = new Vector3(...this.state.framePlace(frame));
    const plane = new Plane().setFromNormalAndCoplanarPoint(this.normal(frame), place);
    const hit = this.raycaster.ray.intersectPlane(plane, new Vector3()) ?? place;
    this.dragged = { frame, plane, offset: place.clone().sub(hit) };
    this.view.controls.enabled = false;
    this.canvas.setPointerCapture(event.pointerId);
    event.stopImmediatePropagation();
  }

  private move(event: PointerEvent): void {
    if (!this.dragged) {
      if (event.pointerType === "mouse") this.canvas.style.cursor = this.nearest(event) < 0 ? "grab" : "move";
      return;
    }
    this.aim(event);
    const hit = this.raycaster.ray.intersectPlane(this.dragged.plane, new Vector3());
    if (hit) this.state.drag(this.dragged.frame, hit.add(this.dragged.offset).toArray());
  }

  private release(): void {
    this.dragged = null;
    this.view.controls.enabled = true;
  }

  /** Normal of the plane of dragging: that of the screen, or of the frame's own plane of motion if it has one. */
  private normal(frame: number): Vector3 {
    const view = this.view.camera.getWorldDirection(new Vector3());
    const own = this.state.motionNormal(frame);
    if (!own) return view;
    const normal = new Vector3(...own);
    return Math.abs(normal.dot(view)) > 0.25 ? normal : view;
  }

  /** The handle within reach of the pointer on the screen, nearest first; -1 if there is none. */
  private nearest(event: PointerEvent): number {
    const reach = event.pointerType === "touch" ? 28 : 14;
    let [best, found] = [reach, -1];
    for (const handle of this.meshes) {
      const { x, y } = this.onScreen(handle.getWorldPosition(new Vector3()));
      const distance = Math.hypot(event.clientX - x, event.clientY - y);
      if (distance < best) [best, found] = [distance, handle.userData["frame"] as number];
    }
    return found;
  }

  private onScreen(place: Vector3): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    const at = place.project(this.view.camera);
    return { x: box.left + ((at.x + 1) / 2) * box.width, y: box.top + ((1 - at.y) / 2) * box.height };
  }

  /** Arrows move the selected frame (PageUp, PageDown in depth), or rotate the camera; Escape deselects. */
  private key(event: KeyboardEvent): void {
    const frames = this.meshes.map((handle) => handle.userData["frame"] as number);
    const step = STEPS[event.key];
    if (event.key === "Escape") this.select(-1);
    else if (event.key === "h" && frames.length) this.select(frames[(frames.indexOf(this.selected) + 1) % frames.length]!);
    else if (event.key === "0") this.view.reset();
    else if (event.key === "+" || event.key === "-") this.view.zoom(event.key === "+" ? 0.9 : 1 / 0.9);
    else if (step && this.selected < 0) this.view.orbit(0.08 * step[0], 0.08 * step[1]);
    else if (step) {
      const along = new Vector3(...step).applyQuaternion(this.view.camera.quaternion);
      const place = new Vector3(...this.state.framePlace(this.selected));
      this.state.drag(this.selected, place.addScaledVector(along, 0.01 * this.state.robot.size).toArray());
    } else return;
    event.preventDefault();
  }
}
