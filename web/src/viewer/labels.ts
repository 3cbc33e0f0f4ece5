// Names of frames as sprites of constant size on the screen.

import { CanvasTexture, LinearFilter, Sprite, SpriteMaterial } from "three";

const PIXELS = 3; // texture pixels for each pixel on the screen

/** A text at the origin of its parent. Colours follow the page. */
export function label(text: string, color: string, halo: string): Sprite {
  const canvas = document.createElement("canvas");
  const font = `600 ${12 * PIXELS}px system-ui, "Noto Sans", "Noto Sans CJK JP", sans-serif`;
  let context = canvas.getContext("2d")!;
  context.font = font;
  const width = Math.ceil(context.measureText(text).width) + 8 * PIXELS;
  const height = 18 * PIXELS;
  canvas.width = width;
  canvas.height = height;
  context = canvas.getContext("2d")!;
  context.font = font;
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 4 * PIXELS;
  context.strokeStyle = halo;
  context.strokeText(text, 4 * PIXELS, height / 2);
  context.fillStyle = color;
  context.fillText(text, 4 * PIXELS, height / 2);
  const texture = new CanvasTexture(canvas);
  texture.minFilter = LinearFilter;
  const material = new SpriteMaterial({ map: texture, sizeAttenuation: false, depthTest: false, transparent: true });
  const sprite = new Sprite(material);
  sprite.userData["pixels"] = [width / PIXELS, height / PIXELS];
  sprite.center.set(-0.08, 0.1);
  sprite.renderOrder = 10;
  return sprite;
}

/** Give a label its size in pixels; perPixel: height of a pixel in world units at distance 1. */
export function sizeLabel(sprite: Sprite, perPixel: number): void {
  const [width, height] = sprite.userData["pixels"] as [number, number];
  sprite.scale.set(width * perPixel, height * perPixel, 1);
}
