// Papers: the studies of five papers, one click each, with their figures.

import { useEffect, useRef, useState } from "preact/hooks";
import { Formula } from "../../panels/formula";
import { MotionPlayer } from "../../panels/motion_player";
import { text, type TextKey } from "../../texts/texts";
import { JobBar } from "../analysis/job_bar";
import { useShownRobot } from "../analysis/shown_robot";
import { useJob } from "../analysis/use_job";
import type { Studio } from "../studio";
import type { PaperRequest, PaperResult } from "../tasks";
import { useStudio } from "../use_studio";

type PaperName = PaperRequest["paper"];

const CASES: Record<PaperName, string[]> = {
  constrained_arm: ["i", "ii", "iii", "iv", "v", "vi", "vii"],
  rosam: ["section 6"],
  portal_frame: ["10 s, 1:1", "1 s, 1:1", "10 s, 4:1", "1 s, 4:1", "10 s, corner", "1 s, corner"],
  humanoid_friction: ["stick and slip"],
  capture: ["capture"],
};
export const PAPERS = Object.keys(CASES) as PaperName[];

export function PapersScreen({ studio }: { studio: Studio }) {
  useStudio(studio);
  const robots = useShownRobot(studio);
  const job = useJob(studio, "paper");
  const [asked, setAsked] = useState("");

  const run = async (paper: PaperName, number: string) => {
    setAsked(`${paper} ${number}`);
    const found = await job.run({ paper, case: number });
    if (found) await robots.show(found.study.robot);
  };
  const result = job.result && !job.running && robots.shown !== robots.own ? job.result : null;
  return (
    <div class="rk-analysis">
      <p class="rk-note">{text("papers.about")}</p>
      {PAPERS.map((paper) => (
        <article class="rk-law rk-paper" aria-label={text(`papers.${paper}.title` as TextKey)}>
          <header>
            <h3>{text(`papers.${paper}.title` as TextKey)}</h3>
          </header>
          <p class="rk-about">{text(`papers.${paper}.authors` as TextKey)}</p>
          <p>{text(`papers.${paper}.figure` as TextKey)}</p>
          <div class="rk-actions">
            {CASES[paper].map((number) => (
              <button type="button" class={CASES[paper].length === 1 ? "rk-primary" : ""} aria-pressed={CASES[paper].length > 1 ? asked === `${paper} ${number}` : undefined} disabled={job.running} title={caseTitle(paper, number)} onClick={() => void run(paper, number)}>
                {CASES[paper].length === 1 ? text("papers.show") : caseTitle(paper, number)}
              </button>
            ))}
          </div>
          {asked.startsWith(`${paper} `) && <JobBar job={job} />}
          {result?.paper === paper && <Study studio={studio} result={result} />}
        </article>
      ))}
    </div>
  );
}

function caseTitle(paper: PaperName, number: string): string {
  if (paper === "constrained_arm") return `(${number}) ${text(`papers.case.${number}` as TextKey)}`;
  if (paper === "portal_frame") return number.replace("corner", text("papers.case.corner"));
  return number;
}

function Study({ studio, result }: { studio: Studio; result: PaperResult }) {
  const { study } = result;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.closest("article")?.scrollIntoView({ block: "start", behavior: "smooth" }), [result]);
  return (
    <div class="rk-study" ref={place}>
      {studio.state && <MotionPlayer state={studio.state} viewer={studio.viewer} motion={study.motion} plots={study.plots} events={study.events} speed={study.speed} />}
      {study.formulas.length > 0 && (
        <div class="rk-wide" tabIndex={0}>
          <table class="rk-data rk-compared">
            <thead>
              <tr>
                <th />
                <th>{text("papers.paper")}</th>
                <th>{text("papers.here")}</th>
                <th />
              </tr>
            </thead>
            <tbody>
              {study.formulas.map((line) => (
                <tr>
                  <td class="rk-soft">{text(line.title as TextKey)}</td>
                  <td>
                    <Formula latex={line.paper} />
                  </td>
                  <td>
                    <Formula latex={line.here} />
                  </td>
                  <td>{line.equal ? "✓" : "≠"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <dl class="rk-facts">
        {study.facts.map((fact) => (
          <>
            <dt>{text(`papers.fact.${fact.key}` as TextKey)}</dt>
            <dd>{fact.value}</dd>
          </>
        ))}
      </dl>
    </div>
  );
}
