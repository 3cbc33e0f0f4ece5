// Lights of a picture, and the grid of its ground.

import { AmbientLight, Color, DirectionalLight, GridHelper, HemisphereLight, type Object3D } from "three";
import type { RobotDocument } from "../document/model_document";

export function lights(): Object3D[] {
  const key = new DirectionalLight(0xffffff, 2.6);
  key.position.set(2, -3, 5);
  const fill = new DirectionalLight(0xdfe8ff, 1.0);
  fill.position.set(-4, 2, 2);
  return [new AmbientLight(0xffffff, 0.5), new HemisphereLight(0xffffff, 0xa0a5b0, 1.3), key, fill];
}

/** Squares of 1, 2 or 5 times a power of ten [m] below the robot; null where it has no ground. */
export function groundGrid({ ground, size, centre }: RobotDocument, color: string): GridHelper | null {
  if (ground === null) return null;
  const raw = (1.7 * size) / 10;
  const power = 10 ** Math.floor(Math.log10(raw));
  const cell = [1, 2, 5, 10].map((k) => k * power).reduce((a, b) => (Math.abs(b - raw) < Math.abs(a - raw) ? b : a));
  const grid = new GridHelper(14 * cell, 14, new Color(color), new Color(color));
  grid.rotateX(Math.PI / 2);
  grid.position.set(Math.round(centre[0]! / cell) * cell, Math.round(centre[1]! / cell) * cell, ground);
  grid.material.transparent = true;
  grid.material.opacity = 0.38;
  return grid;
}
