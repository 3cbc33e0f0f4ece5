// The picture of a robot that moves: three.js scene, camera, layers, and frames that can be dragged.

import {
  AmbientLight,
  Color,
  DirectionalLight,
  GridHelper,
  Group,
  HemisphereLight,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  PerspectiveCamera,
  Plane,
  Raycaster,
  Scene,
  SphereGeometry,
  Sprite,
  Vector2,
  Vector3,
  WebGLRenderer,
  type BufferGeometry,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { RobotState } from "../mechanics/robot_state";
import { bodyShapes, sizes } from "./body_shapes";
import { Ghosts } from "./ghosts";
import { sizeLabel } from "./labels";
import { Layers, type LayerName } from "./layers";
import { BAR, HANDLE, JOINTS } from "./palette";
import { PrismaticRods } from "./prismatic_rods";
import { matrixOf } from "./solids";
import { Trail } from "./trail";
import { WorldLayer, type WorldLayerData } from "./world_layer";

export class Viewer {
  readonly canvas: HTMLCanvasElement;
  readonly ghosts: Ghosts;
  readonly layers: Layers;
  /** Script time of the last frames, from the change of q to the end of the draw calls [ms]. */
  readonly scriptTimes: number[] = [];
  /** The frame that the keyboard moves; -1: the keys move the camera. */
  selected = -1;
  onSelect: (frame: number) => void = () => undefined;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(32, 1, 0.01, 100);
  private readonly controls: OrbitControls;
  private readonly groups = new Map<number, Group>();
  private readonly shapes: Map<number, BufferGeometry>;
  private readonly rods: PrismaticRods;
  private readonly handles: Mesh[] = [];
  private readonly worldLayers = new Map<string, WorldLayer>();
  private readonly trail = new Trail(0xd2601a);
  private trailFrame = -1;
  private grid: GridHelper | null = null;
  private readonly raycaster = new Raycaster();
  private waiting = false;
  private moved = true;
  private readonly unsubscribe: () => void;
  private readonly observer: ResizeObserver;

  constructor(
    private readonly host: HTMLElement,
    readonly state: RobotState,
  ) {
    // The drawing buffer is preserved for printing.
    const options = { antialias: true, alpha: true, powerPreference: "low-power", preserveDrawingBuffer: true } as const;
    this.renderer = new WebGLRenderer(options);
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.canvas = this.renderer.domElement;
    this.canvas.className = "rk-canvas";
    this.canvas.tabIndex = 0;
    host.append(this.canvas);
    const { robot } = state;
    this.shapes = bodyShapes(robot);
    const solid = new MeshStandardMaterial({ vertexColors: true, roughness: 0.48, metalness: 0.08 });
    for (const [body, shape] of this.shapes) this.group(body).add(new Mesh(shape, solid));
    const plain = (rgb: readonly number[]) =>
      new MeshStandardMaterial({ color: new Color().setRGB(rgb[0]!, rgb[1]!, rgb[2]!, "srgb"), roughness: 0.48 });
    this.rods = new PrismaticRods(robot, (body) => this.group(body), plain(BAR), plain(JOINTS["prismatic"]!));
    this.layers = new Layers(robot, (body) => this.group(body));
    this.ghosts = new Ghosts(state, this.shapes);
    this.scene.add(this.ghosts.group, this.trail.line);
    this.addLights();
    this.addHandles();
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => this.request());
    this.resetView();
    this.recolor();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(host);
    this.resize();
    this.unsubscribe = state.subscribe(() => this.follow());
    this.listen();
    this.update();
  }

  dispose(): void {
    this.unsubscribe();
    this.observer.disconnect();
    this.controls.dispose();
    this.renderer.dispose();
    this.canvas.remove();
  }

  /** Show or hide a layer. */
  show(layer: LayerName, visible: boolean): void {
    const [text, halo] = this.colors();
    this.layers.show(layer, visible, text, halo);
    this.request();
  }

  /** A layer of arrows, lines, surfaces and points in world axes; null removes it. */
  setLayer(name: string, data: WorldLayerData | null): void {
    let layer = this.worldLayers.get(name);
    if (!layer) {
      layer = new WorldLayer(this.state.robot.size);
      this.worldLayers.set(name, layer);
      this.scene.add(layer.group);
    }
    layer.set(data ?? {});
    this.request();
  }

  /** Draw the path of a frame from now on; -1 removes it. */
  drawTrail(frame: number): void {
    this.trailFrame = frame;
    this.trail.clear();
    this.request();
  }

  /** Ghosts at these configurations. */
  setGhosts(configurations: readonly ArrayLike<number>[]): void {
    this.ghosts.set(configurations);
    this.request();
  }

  /** Colours of the page have changed (light, dark). */
  recolor(): void {
    const [text, halo] = this.colors();
    this.layers.recolor(text, halo);
    for (const name of ["frames", "names"] as const) this.layers.show(name, this.layers.shown.get(name)!, text, halo);
    this.addGround();
    this.request();
  }

  resetView(): void {
    const { robot } = this.state;
    const centre = new Vector3(...(robot.centre as [number, number, number]));
    const distance = (0.62 * robot.size) / Math.tan((this.camera.fov * Math.PI) / 360);
    this.camera.up.set(0, 0, 1);
    this.camera.near = 0.01 * robot.size;
    this.camera.far = 60 * robot.size;
    this.camera.position.copy(centre).addScaledVector(new Vector3(...(robot.view as [number, number, number])), distance);
    this.controls.target.copy(centre);
    this.controls.minDistance = 0.1 * robot.size;
    this.controls.maxDistance = 20 * robot.size;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.request();
  }

  /** Draw at the next frame of the screen. */
  request(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  /** Draw now: body poses by the compiled law, then one pass of the renderer. */
  draw(): void {
    const begin = performance.now();
    if (this.moved) this.update();
    this.renderer.render(this.scene, this.camera);
    this.scriptTimes.push(performance.now() - begin);
    if (this.scriptTimes.length > 400) this.scriptTimes.splice(0, 200);
  }

  private follow(): void {
    this.moved = true;
    if (this.trailFrame >= 0) this.trail.add(this.state.framePlace(this.trailFrame));
    this.request();
  }

  private update(): void {
    this.moved = false;
    const poses = this.state.worldPoses;
    for (const [body, group] of this.groups) {
      if (body < 0) continue;
      matrixOf(poses, 12 * body, group.matrix);
      group.matrixWorldNeedsUpdate = true;
    }
    this.rods.update(this.state.q);
  }

  private group(body: number): Group {
    let group = this.groups.get(body);
    if (!group) {
      group = new Group();
      group.matrixAutoUpdate = false;
      this.groups.set(body, group);
      this.scene.add(group);
    }
    return group;
  }

  private addLights(): void {
    const key = new DirectionalLight(0xffffff, 2.6);
    key.position.set(2, -3, 5);
    const fill = new DirectionalLight(0xdfe8ff, 1.0);
    fill.position.set(-4, 2, 2);
    this.scene.add(new AmbientLight(0xffffff, 0.5), new HemisphereLight(0xffffff, 0xa0a5b0, 1.3), key, fill);
  }

  private addGround(): void {
    this.grid?.removeFromParent();
    const { ground, size, centre } = this.state.robot;
    if (ground === null) return;
    const raw = (1.7 * size) / 10;
    const power = 10 ** Math.floor(Math.log10(raw));
    const cell = [1, 2, 5, 10].map((k) => k * power).reduce((a, b) => (Math.abs(b - raw) < Math.abs(a - raw) ? b : a));
    const color = new Color(this.style("--rk-grid", "#9aa5b1"));
    this.grid = new GridHelper(14 * cell, 14, color, color);
    this.grid.rotateX(Math.PI / 2);
    this.grid.position.set(Math.round(centre[0]! / cell) * cell, Math.round(centre[1]! / cell) * cell, ground);
    this.grid.material.transparent = true;
    this.grid.material.opacity = 0.38;
    this.scene.add(this.grid);
  }

  private addHandles(): void {
    const { robot } = this.state;
    const { hub } = sizes(robot);
    const rgb = new Color().setRGB(...HANDLE, "srgb");
    robot.frames.forEach((frame, k) => {
      if (!frame.law || !this.state.hand) return;
      const [x, y, z] = [frame.pose[3]!, frame.pose[7]!, frame.pose[11]!];
      const taken = this.group(frame.body).children.some(
        (own) => this.handles.includes(own as Mesh) && own.position.distanceTo(new Vector3(x, y, z)) < 1e-9,
      );
      if (taken) return; // another frame has the same origin
      const material = new MeshBasicMaterial({ color: rgb, transparent: true, opacity: 0.5, depthTest: false });
      const handle = new Mesh(new SphereGeometry(1.25 * hub, 20, 14), material);
      handle.position.set(frame.pose[3]!, frame.pose[7]!, frame.pose[11]!);
      handle.userData["frame"] = k;
      handle.renderOrder = 5;
      this.group(frame.body).add(handle);
      this.handles.push(handle);
    });
  }

  /** Pointer and keyboard: drag a handle in the plane of the screen, else move the camera. */
  private listen(): void {
    let dragged: { frame: number; plane: Plane; offset: Vector3 } | null = null;
    const pointer = new Vector2();
    const aim = (event: PointerEvent) => {
      const box = this.canvas.getBoundingClientRect();
      pointer.set((2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height);
      this.raycaster.setFromCamera(pointer, this.camera);
    };
    this.canvas.addEventListener(
      "pointerdown",
      (event) => {
        aim(event);
        const frame = this.nearestHandle(event);
        this.select(frame);
        if (frame < 0) return;
        const place = new Vector3(...this.state.framePlace(frame));
        const plane = new Plane().setFromNormalAndCoplanarPoint(this.dragNormal(frame), place);
        const hit = this.raycaster.ray.intersectPlane(plane, new Vector3()) ?? place;
        dragged = { frame, plane, offset: place.clone().sub(hit) };
        this.controls.enabled = false;
        this.canvas.setPointerCapture(event.pointerId);
        event.stopImmediatePropagation();
      },
      { capture: true },
    );
    this.canvas.addEventListener("pointermove", (event) => {
      if (!dragged) {
        if (event.pointerType === "mouse") this.canvas.style.cursor = this.nearestHandle(event) < 0 ? "grab" : "move";
        return;
      }
      aim(event);
      const hit = this.raycaster.ray.intersectPlane(dragged.plane, new Vector3());
      if (hit) this.state.drag(dragged.frame, hit.add(dragged.offset).toArray());
    });
    const release = () => {
      dragged = null;
      this.controls.enabled = true;
    };
    this.canvas.addEventListener("pointerup", release);
    this.canvas.addEventListener("pointercancel", release);
    this.canvas.addEventListener("keydown", (event) => this.key(event));
  }

  /** Normal of the plane of dragging: that of the screen, or of the frame's own plane of motion if it has one. */
  private dragNormal(frame: number): Vector3 {
    const view = this.camera.getWorldDirection(new Vector3());
    const own = this.state.motionNormal(frame);
    if (!own) return view;
    const normal = new Vector3(...own);
    return Math.abs(normal.dot(view)) > 0.25 ? normal : view;
  }

  /** Select the frame that keys move. */
  select(frame: number): void {
    this.selected = frame;
    for (const handle of this.handles)
      (handle.material as MeshBasicMaterial).opacity = handle.userData["frame"] === frame ? 0.9 : 0.5;
    this.onSelect(frame);
    this.request();
  }

  /** The handle within reach of the pointer on the screen, nearest first; -1 if there is none. */
  private nearestHandle(event: PointerEvent): number {
    const box = this.canvas.getBoundingClientRect();
    const reach = event.pointerType === "touch" ? 28 : 14;
    let [best, found] = [reach, -1];
    for (const handle of this.handles) {
      const at = handle.getWorldPosition(new Vector3()).project(this.camera);
      const x = box.left + ((at.x + 1) / 2) * box.width;
      const y = box.top + ((1 - at.y) / 2) * box.height;
      const distance = Math.hypot(event.clientX - x, event.clientY - y);
      if (distance < best) [best, found] = [distance, handle.userData["frame"] as number];
    }
    return found;
  }

  /** Place of a frame's handle on the screen [px], from the left top of the window. */
  handlePlace(frame: number): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    this.scene.updateMatrixWorld();
    const at = new Vector3(...this.state.framePlace(frame)).project(this.camera);
    return { x: box.left + ((at.x + 1) / 2) * box.width, y: box.top + ((1 - at.y) / 2) * box.height };
  }

  /** Arrows move the selected frame (PageUp, PageDown in depth), or rotate the camera; Escape deselects. */
  private key(event: KeyboardEvent): void {
    const steps: Record<string, [number, number, number]> = {
      ArrowLeft: [-1, 0, 0],
      ArrowRight: [1, 0, 0],
      ArrowUp: [0, 1, 0],
      ArrowDown: [0, -1, 0],
      PageUp: [0, 0, -1],
      PageDown: [0, 0, 1],
    };
    const frames = this.handles.map((handle) => handle.userData["frame"] as number);
    if (event.key === "Escape") this.select(-1);
    else if (event.key === "h" && frames.length)
      this.select(frames[(frames.indexOf(this.selected) + 1) % frames.length]!);
    else if (event.key === "0") this.resetView();
    else if (event.key === "+" || event.key === "-") this.zoom(event.key === "+" ? 0.9 : 1 / 0.9);
    else if (steps[event.key]) {
      const [x, y, z] = steps[event.key]!;
      if (this.selected < 0) this.orbit(0.08 * x, 0.08 * y);
      else {
        const along = new Vector3(x, y, z).applyQuaternion(this.camera.quaternion);
        const place = new Vector3(...this.state.framePlace(this.selected));
        this.state.drag(this.selected, place.addScaledVector(along, 0.01 * this.state.robot.size).toArray());
      }
    } else return;
    event.preventDefault();
  }

  private orbit(azimuth: number, elevation: number): void {
    const arm = this.camera.position.clone().sub(this.controls.target);
    const radius = arm.length();
    const up = Math.min(1.5, Math.max(-1.5, Math.asin(arm.z / radius) + elevation));
    const around = Math.atan2(arm.y, arm.x) + azimuth;
    arm.set(Math.cos(up) * Math.cos(around), Math.cos(up) * Math.sin(around), Math.sin(up)).multiplyScalar(radius);
    this.camera.position.copy(this.controls.target).add(arm);
    this.controls.update();
    this.request();
  }

  private zoom(factor: number): void {
    const arm = this.camera.position.clone().sub(this.controls.target).multiplyScalar(factor);
    this.camera.position.copy(this.controls.target).add(arm);
    this.controls.update();
    this.request();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (!width || !height) return;
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    // Keep the robot inside a narrow picture too.
    this.camera.fov = width >= height ? 32 : (2 * Math.atan((Math.tan((16 * Math.PI) / 180) * height) / width) * 180) / Math.PI;
    this.camera.updateProjectionMatrix();
    const perPixel = (2 * Math.tan((this.camera.fov * Math.PI) / 360)) / height;
    for (const own of this.layers.labels) sizeLabel(own as Sprite, perPixel);
    this.draw();
  }

  private colors(): [string, string] {
    return [this.style("--rk-text", "#1f2933"), this.style("--rk-card", "#ffffff")];
  }

  private style(name: string, otherwise: string): string {
    return getComputedStyle(this.host).getPropertyValue(name).trim() || otherwise;
  }
}
