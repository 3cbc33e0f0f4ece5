// Plays a recorded motion with its plots and events: play, scrub, jump to an event. No message goes to anyone.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Motion } from "../document/model_document";
import type { RobotState } from "../mechanics/robot_state";
import { text } from "../texts/texts";
import type { Viewer } from "../viewer/viewer";
import { Player } from "./player";
import { TimePlots, type TimePlot } from "./time_plots";
import { useLanguage } from "./use_page";

export interface MotionEvent {
  t: number;
  names: string[];
  contact_mode: string;
}

interface Properties {
  state: RobotState;
  viewer: Viewer | null;
  motion: Motion;
  plots: readonly TimePlot[];
  events: readonly MotionEvent[];
  /** 1 plays in real time. */
  speed?: number;
}

const still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

/** A report shows its picture beside the plots (in .rk-film) while a motion is there and the picture is out of sight. */
function playback(shown: boolean): void {
  document.documentElement.classList.toggle("rk-playing", shown);
  document.dispatchEvent(new Event("rk-playback"));
}

export function MotionPlayer({ state, viewer: shown, motion, plots, events, speed = 1 }: Properties) {
  useLanguage();
  const viewer = shown?.state === state ? shown : null; // it may still show another robot
  const [time, setTime] = useState(0);
  const [playing, setPlaying] = useState(false);
  const player = useRef<Player | null>(null);
  const follow = useRef<(time: number) => void>(() => undefined);
  const marks = useMemo(() => events.map((event) => event.t), [events]);
  const duration = motion.times[motion.times.length - 1] ?? 0;

  useEffect(() => {
    viewer?.setMotion(motion);
    const moved = (now: number, on: boolean) => {
      setTime(now);
      setPlaying(on);
      follow.current(now);
    };
    const own = new Player(state, motion.times, motion.positions, moved, (sample) => viewer?.showSample(sample), speed);
    player.current = own;
    playback(true);
    if (still()) own.show(0);
    else own.play();
    return () => {
      own.pause();
      playback(false);
      viewer?.setMotion(null);
    };
  }, [motion, state, viewer, speed]);

  const jump = (next: number) => {
    player.current?.pause();
    player.current?.show(Math.max(0, Math.min(next, duration)));
    setTime(next);
    follow.current(next);
  };
  const past = events.filter((event) => event.t <= time + 1e-9).length - 1;
  return (
    <div class="rk-playback">
      <div class="rk-player">
        <button type="button" class="rk-primary" onClick={() => (playing ? player.current?.pause() : player.current?.play())}>
          {text(playing ? "simulation.pause" : "simulation.play")}
        </button>
        <div class="rk-scrub">
          <input
            type="range"
            aria-label={text("simulation.time")}
            min={0}
            max={duration}
            step="any"
            value={time}
            onInput={(event) => jump(Number((event.target as HTMLInputElement).value))}
          />
          <div class="rk-marks" aria-hidden="true">
            {marks.slice(0, 100).map((mark) => (
              <i style={{ left: `${(100 * mark) / (duration || 1)}%` }} />
            ))}
          </div>
        </div>
        <output>{time.toFixed(duration < 1 ? 3 : 2)} s</output>
        {speed !== 1 && <span class="rk-soft">× {speed}</span>}
      </div>
      <div class="rk-screening">
        <div class="rk-film" />
        <TimePlots plots={plots} marks={marks} follow={follow} onTime={jump} />
      </div>
      {events.length > 0 && (
        <details class="rk-events" open={events.length <= 12}>
          <summary>{text("simulation.events", { count: events.length })}</summary>
          <ol>
            {events.map((event, k) => (
              <li aria-current={k === past ? "step" : undefined}>
                <button type="button" onClick={() => jump(event.t)}>
                  <span class="rk-event-time">{event.t.toFixed(6)} s</span> {event.names.join(", ")}
                </button>
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}
