// Layers of the picture that can be shown and hidden: frames, joint axes, masses, inertias, limits, names.

import {
  BufferGeometry,
  DoubleSide,
  Group,
  Line,
  LineBasicMaterial,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  RingGeometry,
  SphereGeometry,
  Vector3,
  type Material,
  type Object3D,
  type Sprite,
} from "three";
import type { FrameRecord, RobotDocument } from "../document/model_document";
import { sizes } from "./body_shapes";
import { freeGraphics } from "./graphics_memory";
import { label, sizeLabel } from "./labels";
import { JOINTS, LIMIT, MASS, TRIAD, hex, type Rgb } from "./palette";
import { Solids, matrixOf } from "./solids";

export const LAYERS = ["frames", "names", "axes", "masses", "inertia", "limits"] as const;
export type LayerName = (typeof LAYERS)[number];
export type GroupOf = (body: number) => Group;

export class Layers {
  private readonly objects = new Map<LayerName, Object3D[]>();
  readonly shown = new Map<LayerName, boolean>(LAYERS.map((name) => [name, name === "frames" || name === "names"]));
  private perPixel = 0; // height of a pixel in world units at distance 1

  constructor(
    private readonly robot: RobotDocument,
    private readonly group: GroupOf,
  ) {}

  /** Show or hide a layer; it is made when first shown. */
  show(name: LayerName, visible: boolean, text: string, halo: string): void {
    this.shown.set(name, visible);
    if (visible && !this.objects.has(name)) this.objects.set(name, this.made(name, text, halo));
    for (const object of this.objects.get(name) ?? []) object.visible = visible;
  }

  /** Labels have the colours of the page: make them again after a change. */
  recolor(text: string, halo: string): void {
    for (const object of this.objects.get("names") ?? []) {
      object.removeFromParent();
      freeGraphics(object);
    }
    this.objects.delete("names");
    this.show("names", this.shown.get("names")!, text, halo);
  }

  /** Give labels, also those made later, their size on the screen; perPixel: height of a pixel at distance 1. */
  sizeLabels(perPixel: number): void {
    this.perPixel = perPixel;
    for (const own of this.objects.get("names") ?? []) sizeLabel(own as Sprite, perPixel);
  }

  private made(name: LayerName, text: string, halo: string): Object3D[] {
    const { robot } = this;
    const { hub } = sizes(robot);
    switch (name) {
      case "frames":
        return this.merged((of) => {
          for (const frame of robot.frames)
            of(frame.body).triad(matrixOf(frame.pose), 0.075 * robot.size, 0.003 * robot.size, TRIAD);
        });
      case "axes":
        return this.merged((of) => {
          for (const seat of robot.seats) {
            if (seat.shape === "free body" || seat.shape === "ball") continue;
            const pose = matrixOf(seat.pose);
            const place = new Vector3().setFromMatrixPosition(pose);
            const z = new Vector3().setFromMatrixColumn(pose, 2).multiplyScalar(0.14 * robot.size);
            const color = JOINTS[seat.kind] ?? TRIAD[2]!;
            of(seat.parent).tube(place.clone().sub(z), place.clone().add(z), 0.0022 * robot.size, color, 8);
          }
        });
      case "masses":
        return this.masses(hub);
      case "inertia":
        return this.ellipsoids();
      case "limits":
        return this.limits(hub);
      case "names":
        // more names would cover the robot
        return this.namedPlaces().map(([frame, names]) => {
          const sprite = label(names, text, halo);
          sprite.position.set(frame.pose[3]!, frame.pose[7]!, frame.pose[11]!);
          sizeLabel(sprite, this.perPixel);
          this.group(frame.body).add(sprite);
          return sprite;
        });
    }
  }

  /** Frames with different origins, each with the names of all that have this origin. */
  private namedPlaces(): [FrameRecord, string][] {
    const found = new Map<string, [FrameRecord, string]>();
    for (const frame of this.robot.frames) {
      const place = [3, 7, 11].map((k) => frame.pose[k]!.toFixed(9));
      const key = `${frame.body} ${place.join(" ")}`;
      const known = found.get(key);
      if (known) known[1] += `, ${frame.name}`;
      else found.set(key, [frame, frame.name]);
    }
    return found.size > 14 ? [] : [...found.values()];
  }

  private merged(fill: (of: (body: number) => Solids) => void): Object3D[] {
    const solids = new Map<number, Solids>();
    fill((body) => {
      if (!solids.has(body)) solids.set(body, new Solids());
      return solids.get(body)!;
    });
    const material = new MeshLambertMaterial({ vertexColors: true });
    return [...solids].map(([body, own]) => this.on(body, new Mesh(own.merged(), material)));
  }

  private masses(hub: number): Object3D[] {
    const largest = Math.max(...this.robot.masses.map((mass) => mass.mass));
    const material = transparent(MASS, 0.8);
    return this.robot.masses.map((mass) => {
      const radius = hub * (0.5 + 1.1 * Math.cbrt(mass.mass / largest));
      const mesh = new Mesh(new SphereGeometry(radius, 20, 14), material);
      mesh.position.set(mass.centre[0]!, mass.centre[1]!, mass.centre[2]!);
      return this.on(mass.body, mesh);
    });
  }

  private ellipsoids(): Object3D[] {
    const sphere = new SphereGeometry(1, 32, 20);
    const material = transparent(MASS, 0.34);
    return this.robot.masses.flatMap((mass) => {
      if (!mass.radii) return [];
      const least = 0.004 * this.robot.size;
      const [a, b, c] = mass.radii.map((r) => Math.max(r, least));
      const [x, y, z] = mass.centre;
      const R = mass.axes;
      const mesh = new Mesh(sphere, material);
      mesh.matrixAutoUpdate = false;
      mesh.matrix
        .set(R[0]!, R[1]!, R[2]!, x!, R[3]!, R[4]!, R[5]!, y!, R[6]!, R[7]!, R[8]!, z!, 0, 0, 0, 1)
        .scale(new Vector3(a, b, c));
      return [this.on(mass.body, mesh)];
    });
  }

  /** The range of each joint: a sector about its axis with a pointer on the moved body, or a line along it. */
  private limits(hub: number): Object3D[] {
    const sector = transparent(LIMIT, 0.38, true);
    const needle = new MeshBasicMaterial({ color: 0xb0552a, side: DoubleSide });
    const line = new LineBasicMaterial({ color: 0x3285cc });
    return this.robot.seats.flatMap((seat): Object3D[] => {
      const { lower, upper, kind } = this.robot.coordinates[seat.q]!;
      if (lower === null || upper === null) return [];
      const pose = matrixOf(seat.pose);
      if (kind === "length") {
        const ends = [new Vector3(0, 0, lower), new Vector3(0, 0, upper)].map((p) => p.applyMatrix4(pose));
        return [this.on(seat.parent, new Line(new BufferGeometry().setFromPoints(ends), line))];
      }
      const span = Math.min(upper - lower, 2 * Math.PI);
      const ring = new Mesh(new RingGeometry(2 * hub, 4 * hub, 48, 1, lower, span).applyMatrix4(pose), sector);
      const pointer = new Mesh(new RingGeometry(1.8 * hub, 4.4 * hub, 1, 1, -0.03, 0.06), needle);
      return [this.on(seat.parent, ring), this.on(seat.body, pointer)];
    });
  }

  private on(body: number, object: Object3D): Object3D {
    this.group(body).add(object);
    return object;
  }
}

function transparent(color: Rgb, opacity: number, flat = false): Material {
  const options = { color: hex(color), transparent: true, opacity, depthWrite: false };
  return flat ? new MeshBasicMaterial({ ...options, side: DoubleSide }) : new MeshLambertMaterial(options);
}

