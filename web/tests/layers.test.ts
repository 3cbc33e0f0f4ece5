// Layers of the picture without a graphics card: a canvas that only measures text.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Group, type Sprite } from "three";
import type { RobotDocument } from "../src/document/model_document";
import { Layers } from "../src/viewer/layers";

const PIXEL = 0.002;
const robot = {
  size: 1,
  frames: [{ name: "hand", body: 0, pose: [1, 0, 0, 0.5, 0, 1, 0, 0, 0, 0, 1, 0] }],
} as unknown as RobotDocument;

beforeEach(() => {
  const context = { measureText: () => ({ width: 90 }), strokeText: () => undefined, fillText: () => undefined };
  vi.stubGlobal("document", { createElement: () => ({ getContext: () => context }) });
});
afterEach(() => vi.unstubAllGlobals());

test("labels made again in other colours keep their size on the screen", () => {
  const body = new Group();
  const layers = new Layers(robot, () => body);
  layers.show("names", true, "#000", "#fff");
  layers.sizeLabels(PIXEL);
  const before = body.children[0] as Sprite;
  const freed = vi.fn();
  before.material.addEventListener("dispose", freed);
  layers.recolor("#fff", "#000");
  expect(body.children.length).toBe(1);
  const after = body.children[0] as Sprite;
  expect(after).not.toBe(before);
  expect(after.scale.y).toBeCloseTo(18 * PIXEL, 12); // 18 pixels high
  expect(after.scale.toArray()).toEqual(before.scale.toArray());
  expect(freed).toHaveBeenCalledOnce();
});
