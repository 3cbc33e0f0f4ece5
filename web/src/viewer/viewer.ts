// The picture of a robot that moves: three.js scene, camera, layers, and frames that can be dragged.

import {
  Box3,
  Color,
  Group,
  Mesh,
  MeshStandardMaterial,
  Scene,
  Vector2,
  WebGLRenderer,
  type BufferGeometry,
  type GridHelper,
} from "three";
import type { RobotState } from "../mechanics/robot_state";
import type { BeamMesh, Motion, Visual } from "../document/model_document";
import { DeformedNodes } from "../mechanics/vibration";
import { Beams } from "./beams";
import { BodyPicking } from "./body_picking";
import { bodyShapes, visualShapes } from "./body_shapes";
import { ContactArrows } from "./contact_arrows";
import { FrameHandles } from "./frame_handles";
import { Ghosts } from "./ghosts";
import { freeGraphics } from "./graphics_memory";
import { groundGrid, lights } from "./ground";
import { Layers, type LayerName } from "./layers";
import { BAR, JOINTS } from "./palette";
import { PrismaticRods } from "./prismatic_rods";
import { matrixOf } from "./solids";
import { SurfaceLayer } from "./surface_layer";
import { Trail } from "./trail";
import { places, ViewCamera } from "./view_camera";
import { WorldLayer, type WorldLayerData } from "./world_layer";

export class Viewer {
  readonly canvas: HTMLCanvasElement;
  readonly ghosts: Ghosts;
  readonly layers: Layers;
  readonly handles: FrameHandles;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly view: ViewCamera;
  private readonly groups = new Map<number, Group>();
  private readonly shapes: Map<number, BufferGeometry>;
  private readonly rods: PrismaticRods;
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
  private waiting = false;
  private moved = true;
  private readonly unsubscribe: () => void;
  private readonly observer: ResizeObserver;
  private readonly ended = new AbortController();
  private readonly picking: BodyPicking;
  /** The viewer of an earlier revision, until this one has drawn. */
  private replaced: Viewer | null;

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
    this.scene.add(...lights());
    this.view = new ViewCamera(this.canvas, state, () => this.request());
    if (previous) this.view.lookFrom(previous.view);
    this.handles = new FrameHandles(this.canvas, state, this.view, (body) => this.group(body), () => this.request(), this.ended.signal);
    this.picking = new BodyPicking(this.canvas, this.view.camera, this.groups, () => this.request());
    this.recolor();
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", () => this.recolor(), { signal: this.ended.signal });
    this.observer = new ResizeObserver(() => {
      if (this.fitCanvas()) this.draw();
    });
    this.observer.observe(host);
    this.fitCanvas();
    this.unsubscribe = state.subscribe(() => this.follow());
    if (previous) this.request();
    else this.draw();
  }

  /** keepCanvas: another viewer takes the canvas over, and frees the graphics of this one. */
  dispose(keepCanvas = false): void {
    this.unsubscribe();
    this.observer.disconnect();
    this.view.dispose();
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
    const { camera, controls } = this.view;
    const eye = camera.position.clone();
    camera.position.lerpVectors(controls.target, eye, 1.5); // other configurations may reach further
    this.draw();
    const image = this.canvas.toDataURL("image/webp", 0.9);
    camera.position.copy(eye);
    this.state.q = now;
    this.moved = true;
    this.request();
    return image;
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
    if (motion?.beams) this.beams.set(motion.beams.nodes[0]!, motion.beams, false);
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
    for (let k = 0; k < motion.positions.length; k += step) for (const place of places(this.state, motion.positions[k]!)) box.expandByPoint(place);
    if (!box.isEmpty()) this.view.fit(box);
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
    this.beams.set(mesh.nodes, mesh, true);
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

  /** Colours of the page have changed by its own button or by the notebook; the system's change is followed. */
  recolor(): void {
    const [text, halo] = this.colors();
    this.layers.recolor(text, halo);
    for (const name of ["frames", "names"] as const) this.layers.show(name, this.layers.shown.get(name)!, text, halo);
    this.addGround();
    this.request();
  }

  resetView(): void {
    this.view.reset();
  }

  /** Place of a frame's handle on the screen [px], from the left top of the window. */
  handlePlace(frame: number): { x: number; y: number } {
    return this.handles.place(frame);
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
    this.renderer.render(this.scene, this.view.camera);
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

  private addGround(): void {
    this.grid?.removeFromParent();
    this.grid?.dispose();
    this.grid = groundGrid(this.state.robot, this.style("--rk-grid", "#9aa5b1"));
    if (!this.grid) return;
    this.grid.visible = !this.state.robot.surfaces.length && !this.motion?.surfaces.length;
    this.scene.add(this.grid);
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
    this.layers.sizeLabels(this.view.setSize(width, height));
    return changed;
  }

  private colors(): [string, string] {
    return [this.style("--rk-text", "#1f2933"), this.style("--rk-card", "#ffffff")];
  }

  private style(name: string, otherwise: string): string {
    return getComputedStyle(this.host).getPropertyValue(name).trim() || otherwise;
  }
}
