// Memory of the graphics card, which three.js frees only when told.

import { InstancedMesh, Light, Texture, type Mesh, type Object3D } from "three";

/** Free geometries, materials and textures of an object and of all below it. */
export function freeGraphics(root: Object3D): void {
  root.traverse((object) => {
    const { geometry, material } = object as Partial<Mesh>;
    geometry?.dispose();
    for (const own of [material ?? []].flat()) {
      for (const value of Object.values(own)) if (value instanceof Texture) value.dispose();
      own.dispose();
    }
    if (object instanceof InstancedMesh || object instanceof Light) object.dispose();
  });
}
