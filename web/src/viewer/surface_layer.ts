// Surfaces of contacts as shaded triangles with their edges, on the bodies that carry them.

import { BufferAttribute, BufferGeometry, DoubleSide, EdgesGeometry, LineBasicMaterial, LineSegments, Mesh, MeshStandardMaterial, type Object3D } from "three";
import type { SurfaceMesh } from "../document/model_document";
import type { GroupOf } from "./layers";
import { SURFACE, hex } from "./palette";

export class SurfaceLayer {
  private readonly objects: Object3D[] = [];
  private moving: { positions: BufferAttribute; geometry: BufferGeometry; rows: Float32Array[]; outline: Object3D }[] = [];

  constructor(private readonly group: GroupOf) {}

  /** Replace what is shown. */
  set(surfaces: readonly SurfaceMesh[]): void {
    this.clear();
    // Moved back in depth: a body that lies on the surface is drawn before it.
    const depth = { polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 2 };
    const face = new MeshStandardMaterial({ color: hex(SURFACE), roughness: 0.9, side: DoubleSide, transparent: true, opacity: 0.72, ...depth });
    const edge = new LineBasicMaterial({ color: hex(SURFACE), transparent: true, opacity: 0.9 });
    for (const surface of surfaces) {
      const rows = surface.vertices.map((row) => Float32Array.from(row));
      const positions = new BufferAttribute(rows[0]!.slice(), 3);
      const geometry = new BufferGeometry().setAttribute("position", positions).setIndex(surface.triangles);
      geometry.computeVertexNormals();
      const mesh = new Mesh(geometry, face);
      const outline = new LineSegments(new EdgesGeometry(geometry, 40), edge);
      mesh.renderOrder = -1;
      this.group(surface.body).add(mesh, outline);
      this.objects.push(mesh, outline);
      if (rows.length > 1) this.moving.push({ positions, geometry, rows, outline });
    }
  }

  /** Surfaces that move, at a sample of the motion. */
  show(sample: number): void {
    for (const { positions, geometry, rows, outline } of this.moving) {
      positions.copyArray(rows[Math.min(sample, rows.length - 1)]!);
      positions.needsUpdate = true;
      geometry.computeVertexNormals();
      outline.visible = false; // its edges are those of the first sample
    }
  }

  clear(): void {
    for (const object of this.objects.splice(0)) {
      object.removeFromParent();
      ((object as Mesh).geometry as BufferGeometry).dispose();
    }
    this.moving = [];
  }
}
