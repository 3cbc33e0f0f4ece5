// Coloured solids merged into one geometry: tubes, boxes, balls, given by poses and points.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Color,
  CylinderGeometry,
  Matrix4,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import type { Rgb } from "./palette";

const UP = new Vector3(0, 1, 0);

/** A row-major 3 x 4 pose as a matrix of three.js. */
export function matrixOf(pose: ArrayLike<number>, at = 0, into = new Matrix4()): Matrix4 {
  const x = (k: number) => pose[at + k]!;
  return into.set(x(0), x(1), x(2), x(3), x(4), x(5), x(6), x(7), x(8), x(9), x(10), x(11), 0, 0, 0, 1);
}

export class Solids {
  private readonly parts: BufferGeometry[] = [];

  get empty(): boolean {
    return this.parts.length === 0;
  }

  /** A round bar between two points. */
  tube(start: Vector3, end: Vector3, radius: number, color: Rgb, sides = 20): this {
    const along = end.clone().sub(start);
    const length = along.length();
    if (length < 1e-12) return this;
    const rotation = new Quaternion().setFromUnitVectors(UP, along.divideScalar(length));
    const middle = start.clone().add(end).multiplyScalar(0.5);
    const one = new Vector3(1, 1, 1);
    return this.add(new CylinderGeometry(radius, radius, length, sides), new Matrix4().compose(middle, rotation, one), color);
  }

  /** A box with half edges along the axes of a pose. */
  box(pose: Matrix4, half: readonly [number, number, number], color: Rgb): this {
    return this.add(new BoxGeometry(2 * half[0], 2 * half[1], 2 * half[2]), pose, color);
  }

  ball(centre: Vector3, radius: number, color: Rgb): this {
    return this.add(new SphereGeometry(radius, 24, 16), new Matrix4().makeTranslation(centre), color);
  }

  /** The axes of a pose as thin tubes: x red, y green, z blue. */
  triad(pose: Matrix4, length: number, radius: number, colors: readonly Rgb[]): this {
    const origin = new Vector3().setFromMatrixPosition(pose);
    colors.forEach((color, axis) => {
      const tip = new Vector3().setFromMatrixColumn(pose, axis).multiplyScalar(length).add(origin);
      this.tube(origin, tip, radius, color, 10);
    });
    return this;
  }

  add(geometry: BufferGeometry, pose: Matrix4, color: Rgb): this {
    geometry.applyMatrix4(pose);
    geometry.deleteAttribute("uv");
    const count = geometry.getAttribute("position").count;
    const linear = new Color().setRGB(...color, "srgb");
    const colors = new Float32Array(3 * count);
    for (let k = 0; k < count; k++) colors.set([linear.r, linear.g, linear.b], 3 * k);
    geometry.setAttribute("color", new BufferAttribute(colors, 3));
    this.parts.push(geometry.index ? geometry : indexed(geometry));
    return this;
  }

  /** All solids in one geometry. */
  merged(): BufferGeometry {
    const merged = mergeGeometries(this.parts, false);
    for (const part of this.parts) part.dispose();
    return merged;
  }
}

function indexed(geometry: BufferGeometry): BufferGeometry {
  const count = geometry.getAttribute("position").count;
  return geometry.setIndex([...Array(count).keys()]);
}
