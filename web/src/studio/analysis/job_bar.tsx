// What a running job says, with a button that stops it; its error afterwards.

import { useEffect, useState } from "preact/hooks";
import { text } from "../../texts/texts";

interface Shown {
  running: boolean;
  progress: string;
  error: string;
  cancelled: boolean;
  cancel: () => void;
}

const DELAY = 250; // quick answers show no bar [ms]

export function JobBar({ job }: { job: Shown }) {
  const [seconds, setSeconds] = useState(-1);
  useEffect(() => {
    if (!job.running) {
      setSeconds(-1);
      return undefined;
    }
    const begin = performance.now();
    const first = setTimeout(() => setSeconds(0), DELAY);
    const tick = setInterval(() => setSeconds(Math.floor((performance.now() - begin) / 1000)), 1000);
    return () => {
      clearTimeout(first);
      clearInterval(tick);
    };
  }, [job.running]);
  if (job.running && seconds >= 0)
    return (
      <div class="rk-job" role="status">
        <span class="rk-spinner" aria-hidden="true" />
        <span class="rk-job-line">{job.progress || text("job.running")}</span>
        {seconds > 0 && <span class="rk-soft">{seconds} s</span>}
        <button type="button" onClick={job.cancel}>
          {text("job.cancel")}
        </button>
      </div>
    );
  if (!job.running && job.error)
    return (
      <p class="rk-problem rk-job-error" role="alert">
        {job.error}
      </p>
    );
  if (!job.running && job.cancelled) return <p class="rk-note" role="status">{text("job.cancelled")}</p>;
  return null;
}
