// Layers given by data in world axes: arrows (contact forces), polylines (trails, beams), surfaces, points.

import {
  ArrowHelper,
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  Group,
  Line,
  LineBasicMaterial,
  Mesh,
  MeshLambertMaterial,
  Points,
  PointsMaterial,
  Vector3,
} from "three";

type Point = readonly [number, number, number];

/** One layer; positions in m. An arrow has the length of its vector times `scale`. */
export interface WorldLayerData {
  arrows?: { at: Point; vector: Point; scale?: number; color?: number }[];
  lines?: { points: ArrayLike<number>; color?: number }[];
  surfaces?: { vertices: ArrayLike<number>; triangles: ArrayLike<number>; color?: number; opacity?: number }[];
  points?: { at: Point; color?: number }[];
}

export class WorldLayer {
  readonly group = new Group();

  constructor(private readonly size: number) {}

  /** Replace what the layer shows. */
  set(data: WorldLayerData): void {
    this.clear();
    for (const { at, vector, scale = 1, color = 0x339e59 } of data.arrows ?? []) {
      const along = new Vector3(...vector).multiplyScalar(scale);
      const length = along.length();
      if (length < 1e-9) continue;
      const head = Math.min(0.3 * length, 0.05 * this.size);
      this.group.add(new ArrowHelper(along.normalize(), new Vector3(...at), length, color, head, 0.5 * head));
    }
    for (const { points, color = 0xc05a1a } of data.lines ?? [])
      this.group.add(new Line(positions(points), new LineBasicMaterial({ color })));
    for (const { vertices, triangles, color = 0x8899aa, opacity = 0.4 } of data.surfaces ?? []) {
      const geometry = positions(vertices).setIndex(Array.from(triangles));
      geometry.computeVertexNormals();
      const options = { color, opacity, transparent: opacity < 1, side: DoubleSide, depthWrite: opacity === 1 };
      this.group.add(new Mesh(geometry, new MeshLambertMaterial(options)));
    }
    for (const { at, color = 0xc05a1a } of data.points ?? []) {
      const options = { color, size: 7, sizeAttenuation: false };
      this.group.add(new Points(positions(at), new PointsMaterial(options)));
    }
  }

  clear(): void {
    for (const object of [...this.group.children]) {
      object.traverse((own) => {
        if ("geometry" in own) (own.geometry as BufferGeometry).dispose();
      });
      object.removeFromParent();
    }
  }
}

function positions(numbers: ArrayLike<number>): BufferGeometry {
  return new BufferGeometry().setAttribute("position", new BufferAttribute(Float32Array.from(numbers), 3));
}
