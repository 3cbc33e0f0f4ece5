// A task of the server that a screen runs: its progress, its result, and a way to stop it.

import { useEffect, useRef, useState } from "preact/hooks";
import { CancelledJob, type Studio } from "../studio";
import type { Tasks } from "../tasks";

export interface Job<Name extends keyof Tasks> {
  running: boolean;
  /** What the server last said about its progress. */
  progress: string;
  /** The server's sentence where it failed, "" otherwise. */
  error: string;
  cancelled: boolean;
  result: Tasks[Name][1] | null;
  /** Start it; a job of this screen that still runs is stopped first. */
  run: (argument: Tasks[Name][0]) => Promise<Tasks[Name][1] | null>;
  cancel: () => void;
  clear: () => void;
}

export function useJob<Name extends keyof Tasks>(studio: Studio, task: Name): Job<Name> {
  const [running, setRunning] = useState(false);
  const [progress, setProgress] = useState("");
  const [error, setError] = useState("");
  const [cancelled, setCancelled] = useState(false);
  const [result, setResult] = useState<Tasks[Name][1] | null>(null);
  const stop = useRef<AbortController | null>(null);

  useEffect(() => () => stop.current?.abort(), []);

  const run = async (argument: Tasks[Name][0]) => {
    stop.current?.abort();
    const own = (stop.current = new AbortController());
    setRunning(true);
    setProgress("");
    setError("");
    setCancelled(false);
    try {
      const found = await studio.run(task, argument, { progress: (line) => stop.current === own && setProgress(line), signal: own.signal });
      if (stop.current === own) setResult(() => found);
      return found;
    } catch (reason) {
      if (stop.current === own) {
        if (reason instanceof CancelledJob || own.signal.aborted) setCancelled(true);
        else setError(reason instanceof Error ? reason.message : String(reason));
      }
      return null;
    } finally {
      if (stop.current === own) setRunning(false);
    }
  };
  const cancel = () => stop.current?.abort();
  const clear = () => {
    setResult(null);
    setError("");
    setCancelled(false);
  };
  return { running, progress, error, cancelled, result, run, cancel, clear };
}
