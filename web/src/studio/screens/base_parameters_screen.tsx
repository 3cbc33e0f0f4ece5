// Base parameters: the smallest set that determines the joint forces, with regrouping, and what has no effect.

import { useEffect, useState } from "preact/hooks";
import { Formula } from "../../panels/formula";
import { numberText } from "../../panels/number_text";
import { text, type TextKey } from "../../texts/texts";
import { JobBar } from "../analysis/job_bar";
import { useJob } from "../analysis/use_job";
import type { Studio } from "../studio";
import type { BaseParameter, BaseParametersRequest } from "../tasks";
import { useStudio } from "../use_studio";

const GRAVITIES: BaseParametersRequest["gravity"][] = ["own", "any", "none"];

export function BaseParametersScreen({ studio }: { studio: Studio }) {
  useStudio(studio);
  const job = useJob(studio, "base_parameters");
  const [gravity, setGravity] = useState<BaseParametersRequest["gravity"]>("own");
  const [joints, setJoints] = useState(false);
  const [tree, setTree] = useState(false);
  const [chosen, choose] = useState<BaseParameter | null>(null);
  const revision = studio.checked && !studio.checked.mistakes.length ? studio.checked.revision : -1;
  const closed = (studio.document?.cells?.loops.length ?? 0) > 0;

  useEffect(() => {
    choose(null);
    if (revision >= 0) void job.run({ gravity, joint_parameters: joints, tree });
  }, [revision, gravity, joints, tree]);
  useEffect(() => {
    studio.viewer?.highlight(chosen?.bodies ?? []);
    return () => studio.viewer?.highlight([]);
  }, [studio.viewer, chosen]);

  if (revision < 0) return <p class="rk-note">{text("analysis.noRobot")}</p>;
  const found = job.result;
  return (
    <div class="rk-analysis">
      <div class="rk-form">
        <label class="rk-field">
          <span>{text("table.gravity")}</span>
          <select value={gravity} onChange={(event) => setGravity((event.target as HTMLSelectElement).value as typeof gravity)}>
            {GRAVITIES.map((one) => (
              <option value={one}>{text(`base.gravity.${one}` as TextKey)}</option>
            ))}
          </select>
        </label>
        <label class="rk-check">
          <input type="checkbox" checked={joints} onChange={() => setJoints(!joints)} />
          {text("base.joints")}
        </label>
        {closed && (
          <label class="rk-check">
            <input type="checkbox" checked={tree} onChange={() => setTree(!tree)} />
            {text("base.tree")}
          </label>
        )}
      </div>
      <JobBar job={job} />
      {found?.problem && <p class="rk-problem">{text("base.failed", { reason: found.problem })}</p>}
      {found && !found.problem && (
        <article class="rk-law">
          <header>
            <h3>{text("law.base_parameters")}</h3>
            <span class="rk-badge" id="rk-base-count">
              {found.parameters.length}
            </span>
          </header>
          <p class="rk-about">{text("about.base_parameters", { count: found.parameters.length, total: found.total })}</p>
          <p class="rk-note" role="status">
            {chosen ? text("base.links") : text("base.clickHint")}{" "}
            {chosen?.links.map((link) => (
              <strong class="rk-chip">{link}</strong>
            ))}
          </p>
          <div class="rk-wide" tabIndex={0}>
            <table class="rk-data">
              <thead>
                <tr>
                  <th>#</th>
                  <th>{text("base.regrouping")}</th>
                  {found.parameters.some((one) => one.value !== null) && <th>{text("base.value")}</th>}
                </tr>
              </thead>
              <tbody>
                {found.parameters.map((one, k) => (
                  <tr class={chosen === one ? "rk-chosen" : ""}>
                    <td>{k + 1}</td>
                    <td>
                      <button type="button" class="rk-term" aria-pressed={chosen === one} title={one.members.join(", ")} data-links={one.links.join(" ")} onClick={() => choose(chosen === one ? null : one)}>
                        <Formula latex={one.left === one.right ? one.left : `${one.left} = ${one.right}`} />
                      </button>
                    </td>
                    {one.value !== null && <td class="rk-number">{numberText(one.value)}</td>}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {found.unobservable.length > 0 && (
            <details>
              <summary>{text("base.unobservable", { count: found.unobservable.length })}</summary>
              <p class="rk-note">{found.unobservable.join(", ")}</p>
            </details>
          )}
          <p class="rk-note">
            {text("base.verified")}: {found.verified}.
          </p>
        </article>
      )}
    </div>
  );
}
