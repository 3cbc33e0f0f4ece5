// The picture of a robot that moves: three.js scene, camera, layers, and frames that can be dragged.

import {
  AmbientLight,
  Box3,
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
import type { BeamMesh, Motion, Visual } from "../document/model_document";
import { DeformedNodes } from "../mechanics/vibration";
import { Beams } from "./beams";
import { BodyPicking } from "./body_picking";
import { bodyShapes, sizes, visualShapes } from "./body_shapes";
import { ContactArrows } from "./contact_arrows";
import { Ghosts } from "./ghosts";
import { freeGraphics } from "./graphics_memory";
import { sizeLabel } from "./labels";
import { Layers, type LayerName } from "./layers";
import { BAR, HANDLE, JOINTS } from "./palette";
import { PrismaticRods } from "./prismatic_rods";
import { matrixOf } from "./solids";
import { SurfaceLayer } from "./surface_layer";
import { Trail } from "./trail";
import { WorldLayer, type WorldLayerData } from "./world_layer";

export class Viewer {
  readonly canvas: HTMLCanvasElement;
  readonly ghosts: Ghosts;
  readonly layers: Layers;
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
  private readonly surfaces: SurfaceLayer;
  private readonly motionSurfaces: SurfaceLayer;
  private readonly arrows: ContactArrows;
  private readonly beams: Beams;
  private motion: Motion | null = null;
  private readonly shapeMeshes: Mesh[] = [];
  private readonly trail = new Trail(0xd2601a);
  private trailFrame = -1;
  private grid: GridHelper | null = null;
  private readonly raycaster = new Raycaster();
  private waiting = false;
  private moved = true;
  private readonly unsubscribe: () => void;
  private readonly observer: ResizeObserver;
  private readonly ended = new AbortController();
  private readonly picking: BodyPicking;
  /** The viewer of an earlier revision, until this one has drawn. */
  private replaced: Viewer | null;
  /** Size and centre of the robot when the camera was placed. */
  private fitted!: { size: number; centre: Vector3 };

  /** previous: the viewer of an earlier revision of the robot, whose canvas and camera this one takes over. */
  constructor(
    private readonly host: HTMLElement,
    readonly state: RobotState,
    previous: Viewer | null = null,
  ) {
    // The drawing buffer is preserved for printing.
    const options = { antialias: true, alpha: true, powerPreference: "low-power", preserveDrawingBuffer: true } as const;
    this.renderer = previous?.renderer ?? new WebGLRenderer(options);
    this.renderer.debug.checkShaderErrors = false; // the check waits for the compiler of each shader
    this.replaced = previous;
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
    this.surfaces = new SurfaceLayer((body) => this.group(body));
    this.motionSurfaces = new SurfaceLayer((body) => this.group(body));
    this.arrows = new ContactArrows(robot.size);
    this.beams = new Beams(robot.size);
    this.scene.add(this.ghosts.group, this.trail.line, this.arrows.group, this.beams.group);
    this.surfaces.set(robot.surfaces);
    this.addLights();
    this.addHandles();
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => this.request());
    this.resetView();
    if (previous) this.lookFrom(previous);
    this.picking = new BodyPicking(this.canvas, this.camera, this.groups, () => this.request());
    this.recolor();
    this.observer = new ResizeObserver(() => {
      if (this.fitCanvas()) this.draw();
    });
    this.observer.observe(host);
    this.fitCanvas();
    this.unsubscribe = state.subscribe(() => this.follow());
    this.listen();
    if (previous) this.request();
    else this.draw();
  }

  /** keepCanvas: another viewer takes the canvas over, and frees the graphics of this one. */
  dispose(keepCanvas = false): void {
    this.unsubscribe();
    this.observer.disconnect();
    this.controls.dispose();
    this.ended.abort();
    this.picking.dispose();
    if (keepCanvas) return;
    this.freeReplaced();
    freeGraphics(this.scene);
    this.renderer.dispose();
    this.renderer.forceContextLoss(); // browsers keep few contexts, and free them late
    this.canvas.remove();
  }

  /** Call back with the body that is clicked, -1 for the ground; null ends this. */
  pick(listener: ((body: number) => void) | null): void {
    this.picking.listener = listener;
  }

  /** Show bodies in the colour of selections. */
  highlight(bodies: readonly number[]): void {
    this.picking.highlight(bodies);
  }

  /** Bodies in the colour of selections. */
  get highlighted(): readonly number[] {
    return this.picking.highlighted;
  }

  /** The picture at a configuration, as an image; the robot stays where it is. */
  snapshot(q: ArrayLike<number>): string {
    const now = this.state.q;
    this.state.q = Float64Array.from(q);
    this.moved = true;
    const eye = this.camera.position.clone();
    this.camera.position.lerpVectors(this.controls.target, eye, 1.5); // other configurations may reach further
    this.draw();
    const image = this.canvas.toDataURL("image/webp", 0.9);
    this.camera.position.copy(eye);
    this.state.q = now;
    this.moved = true;
    this.request();
    return image;
  }

  /**
   * Look from where another viewer of the same robot looks. A robot that has grown, shrunk or moved since the
   * camera was placed is seen from the same side and as large as before.
   */
  private lookFrom(other: Viewer): void {
    if (this.state.robot.name !== other.state.robot.name) return;
    const [before, now] = [other.fitted, this.fitted];
    const change = now.size / before.size;
    const same = Math.abs(Math.log(change)) < 0.25 && now.centre.distanceTo(before.centre) < 0.3 * now.size;
    const { position } = other.camera;
    const { target } = other.controls;
    if (same) {
      this.fitted = before;
      this.controls.target.copy(target);
      this.camera.position.copy(position);
    } else {
      this.controls.target.copy(now.centre).addScaledVector(target.clone().sub(before.centre), change);
      this.camera.position.copy(this.controls.target).addScaledVector(position.clone().sub(target), change);
    }
    this.controls.update();
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

  /** Show contacts, surfaces and beams of a motion; the player shows its samples. null removes them. */
  setMotion(motion: Motion | null): void {
    this.motion = motion;
    this.arrows.set(motion?.contacts ?? []);
    this.motionSurfaces.set(motion?.surfaces ?? []);
    this.setShapes(motion?.shapes ?? []);
    if (this.grid) this.grid.visible = !motion?.surfaces.length && !this.state.robot.surfaces.length;
    if (motion) this.fit(motion);
    if (motion?.beams) this.beams.set(motion.beams.nodes[0]!, motion.beams.elements, false);
    else this.beams.clear();
    this.rigidShown(!motion?.beams);
    this.request();
  }

  /** Shapes of bodies in contact. */
  private setShapes(visuals: readonly Visual[]): void {
    for (const mesh of this.shapeMeshes.splice(0)) {
      mesh.removeFromParent();
      freeGraphics(mesh);
    }
    const material = new MeshStandardMaterial({ vertexColors: true, roughness: 0.48 });
    for (const [body, shape] of visualShapes(visuals)) {
      const mesh = new Mesh(shape, material);
      this.shapeMeshes.push(mesh);
      this.group(body).add(mesh);
    }
  }

  /** Move the camera back where a motion leaves the picture; its direction stays. */
  private fit(motion: Motion): void {
    const box = new Box3();
    const step = Math.max(1, Math.floor(motion.positions.length / 60));
    for (let k = 0; k < motion.positions.length; k += step) {
      const poses = this.state.posesAt(motion.positions[k]!);
      for (let i = 0; i < poses.length; i += 12) box.expandByPoint(new Vector3(poses[i + 3], poses[i + 7], poses[i + 11]));
      this.state.robot.frames.forEach((_, frame) => box.expandByPoint(new Vector3(...this.state.framePlace(frame, motion.positions[k]!))));
    }
    if (box.isEmpty()) return;
    const tangent = Math.tan((this.camera.fov * Math.PI) / 360);
    const visible = this.camera.position.distanceTo(this.controls.target) * tangent;
    const { x, y, z } = this.controls.target;
    const farthest = new Vector3(Math.max(x - box.min.x, box.max.x - x), Math.max(y - box.min.y, box.max.y - y), Math.max(z - box.min.z, box.max.z - z));
    if (farthest.length() <= visible) return;
    const radius = 0.5 * Math.max(this.state.robot.size, box.getSize(new Vector3()).length());
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    this.controls.target.copy(box.getCenter(new Vector3()));
    this.camera.position.copy(this.controls.target).addScaledVector(direction, (1.1 * radius) / tangent);
    this.controls.update();
  }

  /** Show one sample of the motion; q is set by the player. */
  showSample(sample: number): void {
    this.arrows.show(sample);
    this.motionSurfaces.show(sample);
    const nodes = this.motion?.beams?.nodes;
    if (nodes) this.beams.show(nodes[Math.min(sample, nodes.length - 1)]!);
    this.request();
  }

  /** Show a deflection or vibration mode instead of the rigid bodies; null removes it. */
  setBeams(mesh: BeamMesh | null, shape = 0): DeformedNodes | null {
    this.rigidShown(mesh === null);
    if (!mesh) {
      this.beams.clear();
      this.request();
      return null;
    }
    const deformed = new DeformedNodes(mesh, mesh.shapes[shape]!, this.state.robot.size);
    this.beams.set(mesh.nodes, mesh.elements, true);
    this.showDeformed(deformed, 0);
    return deformed;
  }

  /** Factor of a shape's displacements in the picture, at amplitude 1. */
  displacementFactor(mesh: BeamMesh, shape: number): number {
    return new DeformedNodes(mesh, mesh.shapes[shape]!, this.state.robot.size).factor;
  }

  /** Draw the beams at a phase of the vibration [rad]. */
  showDeformed(deformed: DeformedNodes, phase: number, amplitude = 1): void {
    this.beams.show(deformed.at(phase, amplitude), deformed.amounts);
    this.request();
  }

  /** Bodies are hidden while beams are drawn in their place. */
  private rigidShown(visible: boolean): void {
    for (const [body, group] of this.groups) if (body >= 0) group.visible = visible;
    this.ghosts.group.visible = visible;
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
    this.fitted = { size: robot.size, centre };
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
      if (this.waiting && !this.ended.signal.aborted) this.draw(); // else drawn already, or would fill freed memory
    });
  }

  /** Draw now: body poses by the compiled law, then one pass of the renderer. */
  draw(): void {
    this.waiting = false;
    if (this.moved) this.update();
    this.renderer.render(this.scene, this.camera);
    this.freeReplaced();
  }

  /** After the first picture, so that the compiled shaders of the viewer before are used again. */
  private freeReplaced(): void {
    this.replaced?.freeReplaced();
    if (this.replaced) freeGraphics(this.replaced.scene);
    this.replaced = null;
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
    this.grid?.dispose();
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
    this.grid.visible = !this.state.robot.surfaces.length && !this.motion?.surfaces.length;
    this.scene.add(this.grid);
  }

  private addHandles(): void {
    const { robot } = this.state;
    const { hub } = sizes(robot);
    const rgb = new Color().setRGB(...HANDLE, "srgb");
    robot.frames.forEach((frame, k) => {
      if (!frame.law || !this.state.dragging) return;
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
    const { signal } = this.ended;
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
      { capture: true, signal },
    );
    this.canvas.addEventListener("pointermove", (event) => {
      if (!dragged) {
        if (event.pointerType === "mouse") this.canvas.style.cursor = this.nearestHandle(event) < 0 ? "grab" : "move";
        return;
      }
      aim(event);
      const hit = this.raycaster.ray.intersectPlane(dragged.plane, new Vector3());
      if (hit) this.state.drag(dragged.frame, hit.add(dragged.offset).toArray());
    }, { signal });
    const release = () => {
      dragged = null;
      this.controls.enabled = true;
    };
    this.canvas.addEventListener("pointerup", release, { signal });
    this.canvas.addEventListener("pointercancel", release, { signal });
    this.canvas.addEventListener("keydown", (event) => this.key(event), { signal });
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

  /** Give the canvas the size of its place; returns whether that has cleared it. */
  private fitCanvas(): boolean {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (!width || !height) return false;
    const ratio = Math.min(window.devicePixelRatio, 2);
    const now = this.renderer.getSize(new Vector2());
    const changed = now.x !== width || now.y !== height || this.renderer.getPixelRatio() !== ratio;
    if (changed) {
      this.renderer.setPixelRatio(ratio);
      this.renderer.setSize(width, height);
    }
    this.camera.aspect = width / height;
    // Keep the robot inside a narrow picture too.
    this.camera.fov = width >= height ? 32 : (2 * Math.atan((Math.tan((16 * Math.PI) / 180) * height) / width) * 180) / Math.PI;
    this.camera.updateProjectionMatrix();
    const perPixel = (2 * Math.tan((this.camera.fov * Math.PI) / 360)) / height;
    for (const own of this.layers.labels) sizeLabel(own as Sprite, perPixel);
    return changed;
  }

  private colors(): [string, string] {
    return [this.style("--rk-text", "#1f2933"), this.style("--rk-card", "#ffffff")];
  }

  private style(name: string, otherwise: string): string {
    return getComputedStyle(this.host).getPropertyValue(name).trim() || otherwise;
  }
}
