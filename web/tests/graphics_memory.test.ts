import { expect, test } from "vitest";
import { BoxGeometry, Group, Mesh, MeshBasicMaterial, Sprite, SpriteMaterial, Texture } from "three";
import { freeGraphics } from "../src/viewer/graphics_memory";

test("geometries, materials and textures of nested objects are freed", () => {
  const [shape, map, picture] = [new BoxGeometry(), new Texture(), new Texture()];
  const [plain, label] = [new MeshBasicMaterial({ map }), new SpriteMaterial({ map: picture })];
  const second = new MeshBasicMaterial();
  const root = new Group().add(new Group().add(new Mesh(shape, [plain, second])), new Sprite(label));
  const freed = new Set<unknown>();
  for (const own of [shape, map, picture, plain, label, second])
    (own as Texture).addEventListener("dispose", () => freed.add(own));
  freeGraphics(root);
  expect(freed.size).toBe(6);
});
