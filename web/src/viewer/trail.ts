// The path of a frame's origin, in a buffer of fixed length.

import { BufferAttribute, BufferGeometry, Line, LineBasicMaterial } from "three";

const LENGTH = 2000;

export class Trail {
  readonly line: Line;
  private count = 0;
  private readonly numbers = new Float32Array(3 * LENGTH);

  constructor(color: number) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(this.numbers, 3));
    geometry.setDrawRange(0, 0);
    this.line = new Line(geometry, new LineBasicMaterial({ color }));
    this.line.frustumCulled = false;
  }

  /** Append a point; the oldest half is dropped when the buffer is full. */
  add(point: ArrayLike<number>): void {
    if (this.count === LENGTH) {
      this.numbers.copyWithin(0, (3 * LENGTH) / 2);
      this.count = LENGTH / 2;
    }
    this.numbers.set([point[0]!, point[1]!, point[2]!], 3 * this.count);
    this.count++;
    this.update();
  }

  clear(): void {
    this.count = 0;
    this.update();
  }

  private update(): void {
    this.line.geometry.setDrawRange(0, this.count);
    this.line.geometry.getAttribute("position").needsUpdate = true;
  }
}
