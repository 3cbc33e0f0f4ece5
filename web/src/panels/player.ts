// Plays a motion on the robot of the page.

import type { RobotState } from "../mechanics/robot_state";

export class Player {
  private handle = 0;
  time = 0;

  constructor(
    private readonly state: RobotState,
    private readonly times: ArrayLike<number>,
    private readonly positions: readonly ArrayLike<number>[],
    private readonly onTime: (time: number, playing: boolean) => void,
    private readonly onSample: (sample: number) => void = () => undefined,
    /** 1 plays in real time. */
    private readonly speed = 1,
  ) {}

  get playing(): boolean {
    return this.handle !== 0;
  }

  get duration(): number {
    return this.times[this.times.length - 1] ?? 0;
  }

  play(): void {
    if (this.time >= this.duration) this.time = 0;
    // The clock starts with the first frame: drawing the plots beside it may take longer than the motion.
    let start: number | null = null;
    const frame = (now: number) => {
      start ??= now - (1000 * this.time) / this.speed;
      this.time = Math.min(((now - start) / 1000) * this.speed, this.duration);
      this.state.playing = this.time < this.duration;
      this.show(this.time);
      this.handle = this.state.playing ? requestAnimationFrame(frame) : 0;
      this.onTime(this.time, this.playing);
    };
    this.handle = requestAnimationFrame(frame);
  }

  pause(): void {
    cancelAnimationFrame(this.handle);
    this.handle = 0;
    if (this.state.playing) {
      this.state.playing = false;
      this.state.changed(); // listeners that skip the frames of a motion follow its last one
    }
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
    this.onSample(low);
  }
}
