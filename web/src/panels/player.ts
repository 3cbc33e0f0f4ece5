// Plays a motion on the robot of the page in real time.

import type { RobotState } from "../mechanics/robot_state";

export class Player {
  private handle = 0;
  private start = 0;
  time = 0;

  constructor(
    private readonly state: RobotState,
    private readonly times: ArrayLike<number>,
    private readonly positions: readonly ArrayLike<number>[],
    private readonly onTime: (time: number, playing: boolean) => void,
  ) {}

  get playing(): boolean {
    return this.handle !== 0;
  }

  get duration(): number {
    return this.times[this.times.length - 1] ?? 0;
  }

  play(): void {
    if (this.time >= this.duration) this.time = 0;
    this.start = performance.now() - 1000 * this.time;
    const frame = () => {
      this.time = Math.min((performance.now() - this.start) / 1000, this.duration);
      this.show(this.time);
      this.handle = this.time < this.duration ? requestAnimationFrame(frame) : 0;
      this.onTime(this.time, this.playing);
    };
    this.handle = requestAnimationFrame(frame);
  }

  pause(): void {
    cancelAnimationFrame(this.handle);
    this.handle = 0;
    this.onTime(this.time, false);
  }

  /** Show the sample at or before a time. */
  show(time: number): void {
    let [low, high] = [0, this.times.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle]! <= time) low = middle;
      else high = middle - 1;
    }
    this.time = time;
    const q = this.positions[low];
    if (q) this.state.set(q);
  }
}
