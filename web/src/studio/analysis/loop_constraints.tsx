// Loop constraints as formulas, and the dependent coordinates solved for, of the newest revision.

import { useEffect, useRef } from "preact/hooks";
import { Formula } from "../../panels/formula";
import { numberText } from "../../panels/number_text";
import { equationName } from "../../texts/equation_name";
import { text } from "../../texts/texts";
import type { Studio } from "../studio";
import { JobBar } from "./job_bar";
import { useJob } from "./use_job";

const PAUSE = 900; // after the last edit [ms]

export function LoopConstraints({ studio }: { studio: Studio }) {
  const job = useJob(studio, "loops");
  const { checked } = studio;
  const revision = checked && !checked.mistakes.length && checked.mobility !== null ? checked.revision : -1;
  const asked = useRef(-1);
  useEffect(() => {
    if (revision < 0 || job.running || asked.current === revision) return undefined;
    // Not while cells are typed, and not before the last answer: a job that is stopped ends its process.
    const timer = setTimeout(() => {
      asked.current = revision;
      void job.run({ q: studio.state ? [...studio.state.q] : [], time_limit: 10 });
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [revision, job.running]);
  if (revision < 0) return null;
  const found = job.result;
  return (
    <article class="rk-law" id="rk-constraints">
      <header>
        <h3>{text("law.loop_residual")}</h3>
      </header>
      <p class="rk-about">{text("about.loop_residual")}</p>
      <JobBar job={job} />
      {found?.constraints.map((line) => (
        <div class="rk-line">
          <span class="rk-soft">{equationName(line.name)}</span>{" "}
          {line.latex ? <Formula latex={`${line.latex} = 0`} /> : <span class="rk-soft">{text("formula.tooLongElement", { count: line.terms })}</span>}
        </div>
      ))}
      {found && found.explicit.length > 0 && (
        <details>
          <summary>{text("loops.explicit")}</summary>
          {found.explicit.map((latex) => (
            <div class="rk-line">
              <Formula latex={latex} />
            </div>
          ))}
        </details>
      )}
      {found && found.loop_singularity !== null && (
        <dl class="rk-facts">
          <dt>{text("loops.singularLoops")}</dt>
          <dd>{numberText(found.loop_singularity)}</dd>
          <dt>{text("loops.singularActuation")}</dt>
          <dd>{found.actuation_singularity === null ? "–" : numberText(found.actuation_singularity)}</dd>
        </dl>
      )}
    </article>
  );
}
