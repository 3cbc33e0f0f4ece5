// Buttons that fetch a law in a language from the server and copy it.

import { useState } from "preact/hooks";
import { copied } from "../../report/formulas";
import { text } from "../../texts/texts";
import type { Studio } from "../studio";
import type { LawExportRequest } from "../tasks";
import { JobBar } from "./job_bar";
import { useJob } from "./use_job";

const LANGUAGES: [string, LawExportRequest["language"]][] = [
  ["LaTeX", "latex"],
  ["Python", "python"],
  ["C", "c"],
];

export function CopyButtons({ studio, law, frame }: { studio: Studio; law: string; frame: string }) {
  const job = useJob(studio, "law_export");
  const [done, setDone] = useState("");
  const fetchCode = async (language: LawExportRequest["language"]) => {
    setDone("");
    const found = await job.run({ law, frame, language, derivative: false });
    const file = found?.files.find(({ name }) => !name.endsWith(".h")) ?? found?.files[0];
    if (!file) return;
    await copied(new TextDecoder().decode(Uint8Array.from(atob(file.content), (x) => x.charCodeAt(0))));
    setDone(language);
    setTimeout(() => setDone(""), 1500);
  };
  return (
    <div class="rk-copy">
      <span>{text("page.copy")}</span>
      {LANGUAGES.map(([title, language]) => (
        <button type="button" disabled={job.running} onClick={() => void fetchCode(language)}>
          {done === language ? text("page.copied") : title}
        </button>
      ))}
      <JobBar job={job} />
    </div>
  );
}
