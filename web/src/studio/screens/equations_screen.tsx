// Equations: choose a law and a form; search; click a term and see which link causes it.

import { useEffect, useMemo, useState } from "preact/hooks";
import { Formula } from "../../panels/formula";
import { named } from "../../panels/time_plots";
import { language, text, type TextKey } from "../../texts/texts";
import { CopyButtons } from "../analysis/copy_buttons";
import { JobBar } from "../analysis/job_bar";
import { lawTitle } from "../analysis/law_title";
import { useJob } from "../analysis/use_job";
import type { Studio } from "../studio";
import type { ElementFormula, EquationsRequest, EquationsResult, TermRecord } from "../tasks";
import { useStudio } from "../use_studio";

const FORMS: EquationsRequest["form"][] = ["textbook", "parameters", "full", "intermediates"];
const GROUPS = ["main", "tree", "other"] as const;
const MOST_SHOWN = 120; // elements of a page; a button shows the others
const MOST_TERMS = 60; // of an element; a button shows the others

export function EquationsScreen({ studio }: { studio: Studio }) {
  useStudio(studio);
  const laws = useJob(studio, "laws");
  const job = useJob(studio, "equations");
  const [law, setLaw] = useState("");
  const [form, setForm] = useState<EquationsRequest["form"]>("textbook");
  const [frame, setFrame] = useState("");
  const [search, setSearch] = useState("");
  const [term, setTerm] = useState<TermRecord | null>(null);
  const [seconds, setSeconds] = useState(8);
  // The formulas of an edited robot are computed beside its check; mistakes that the check finds end them.
  const refused = !studio.checked || studio.checked.mistakes.length > 0;
  const revision = refused ? -1 : (studio.document?.revision ?? -1);
  const structure = structureOf(studio);

  useEffect(() => {
    if (!refused) void laws.run({});
  }, [structure, refused]);
  const known = laws.result?.laws ?? [];
  const own = known.find(({ name }) => name === law) ?? known.find(({ title }) => title === "law.mass_matrix") ?? known[0];

  useEffect(() => {
    setTerm(null);
    if (!own || revision < 0) return undefined;
    let ended = false;
    const request = { law: own.name, form, frame: own.of_frame ? frame : "", time_limit: seconds };
    void job.run({ ...request, quick: true }).then((found) => {
      const factors = form === "textbook" || form === "parameters";
      if (found && !ended && factors && found.form === form && found.elements.length) void job.run({ ...request, quick: false });
    });
    return () => {
      ended = true;
    };
  }, [own?.name, form, frame, revision, seconds]);

  useEffect(() => {
    studio.viewer?.highlight(term?.bodies ?? []);
    return () => studio.viewer?.highlight([]);
  }, [studio.viewer, term]);

  const result = job.result;
  const shown = useMemo(
    () =>
      result && (
        <Equations
          key={`${result.law} ${result.form} ${language()}`}
          studio={studio}
          result={result}
          title={lawTitle({ name: result.law, title: result.title })}
          frame={frame}
          search={search}
          term={term}
          onTerm={setTerm}
          onLonger={() => setSeconds(120)}
        />
      ),
    [result, frame, search, term, language()], // thousands of elements: not for each line of progress
  );

  if (revision < 0) return <p class="rk-note">{text("analysis.noRobot")}</p>;
  return (
    <div class="rk-analysis">
      <div class="rk-form">
        <label class="rk-field">
          <span>{text("equations.law")}</span>
          <select value={own?.name ?? ""} onChange={(event) => setLaw((event.target as HTMLSelectElement).value)}>
            {GROUPS.filter((group) => known.some((one) => one.group === group)).map((group) => (
              <optgroup label={text(`equations.group.${group}`)}>
                {known.filter((one) => one.group === group).map((one) => (
                  <option value={one.name}>{lawTitle(one)}</option>
                ))}
              </optgroup>
            ))}
          </select>
        </label>
        {own?.of_frame && (
          <label class="rk-field">
            <span>{text("pose.frame")}</span>
            <select value={frame || laws.result?.frame} onChange={(event) => setFrame((event.target as HTMLSelectElement).value)}>
              {laws.result?.frames.map((name) => <option value={name}>{name}</option>)}
            </select>
          </label>
        )}
        <label class="rk-field rk-grow">
          <span>{text("equations.search")}</span>
          <input
            type="search"
            value={search}
            spellcheck={false}
            placeholder={text("equations.searchHint")}
            onInput={(event) => setSearch((event.target as HTMLInputElement).value)}
          />
        </label>
      </div>
      <div class="rk-choice" role="group" aria-label={text("equations.form")}>
        {FORMS.map((one) => (
          <button type="button" aria-pressed={form === one} onClick={() => setForm(one)}>
            {text(`equations.form.${one}` as TextKey)}
          </button>
        ))}
      </div>
      <JobBar job={job} />
      {shown}
    </div>
  );
}

/** What the list of laws and frames depends on; it stays the same when a number is edited. */
function structureOf(studio: Studio): string {
  const cells = studio.document?.cells;
  if (!cells) return String(studio.document?.revision);
  const links = cells.links.map(({ name, parent, joint }) => [name, parent, joint.type]);
  return JSON.stringify([links, cells.frames.map(({ name, link }) => [name, link]), cells.loops.length, cells.couplings.length]);
}

function lawAbout(result: EquationsResult, frame: string): string {
  const shown = frame || (/frame='([^']*)'/.exec(result.call)?.[1] ?? "");
  return named(result.about).replace("{frame}", shown);
}

interface Shown {
  studio: Studio;
  result: EquationsResult;
  title: string;
  frame: string;
  search: string;
  term: TermRecord | null;
  onTerm: (term: TermRecord | null) => void;
  onLonger: () => void;
}

function Equations({ studio, result, title, frame, search, term, onTerm, onLonger }: Shown) {
  const [all, setAll] = useState(false);
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (one: TermRecord) => words.every((word) => one.text.toLowerCase().includes(word) || one.links.some((link) => link.toLowerCase().includes(word)));
  const found = useMemo(
    () => (words.length ? result.elements.filter((element) => element.terms.some(matches)) : result.elements),
    [result, search],
  );
  const limited = all ? found : found.slice(0, MOST_SHOWN);
  const slow = result.notes.some((note) => ["formula.timeLimit", "formula.notTried", "formula.expands"].includes(note.key));
  return (
    <article class="rk-law rk-equations">
      <header>
        <h3>{title}</h3>
        <code class="rk-call">{result.call}</code>
      </header>
      <p class="rk-about">{lawAbout(result, frame)}</p>
      {result.textbook && (
        <div class="rk-textbook">
          <Formula latex={result.textbook} display />
        </div>
      )}
      {result.notes.map((note) => (
        <p class="rk-note">{text(note.key as TextKey, { reason: note.reason, count: note.count, seconds: note.seconds })}</p>
      ))}
      {slow && (
        <button type="button" onClick={onLonger}>
          {text("equations.longer")}
        </button>
      )}
      {result.linked ? (
        <p class="rk-note" role="status">
          {term ? (
            <>
              {term.links.length ? text("equations.causedBy") : text("equations.noLink")}{" "}
              {term.links.map((link) => (
                <strong class="rk-chip">{link}</strong>
              ))}
            </>
          ) : (
            text("equations.clickHint")
          )}
        </p>
      ) : (
        result.form !== "intermediates" && <p class="rk-note">{text("equations.noSymbols")}</p>
      )}
      {words.length > 0 && <p class="rk-note">{text("equations.found", { count: found.length, total: result.elements.length })}</p>}
      {limited.map((element) => (
        <Element element={element} marked={words.length ? matches : null} term={term} onTerm={onTerm} />
      ))}
      {found.length > limited.length && (
        <button type="button" onClick={() => setAll(true)}>
          {text("equations.showAll", { count: found.length })}
        </button>
      )}
      {result.symmetric && <p class="rk-note">{text("formula.symmetric")}</p>}
      {result.zeros && <p class="rk-note">{text("formula.zeros")}</p>}
      <p class="rk-counts">
        {text("formula.operations")}: {result.operations}
      </p>
      <CopyButtons studio={studio} law={result.law} frame={frame} />
    </article>
  );
}

/** left = term + term ...; each term is a button. */
function Element({ element, marked, term, onTerm }: { element: ElementFormula; marked: ((term: TermRecord) => boolean) | null; term: TermRecord | null; onTerm: (term: TermRecord | null) => void }) {
  const [all, setAll] = useState(false);
  const terms = marked ? [...element.terms].sort((a, b) => Number(marked(b)) - Number(marked(a))) : element.terms;
  const shown = all ? element.terms : terms.slice(0, MOST_TERMS);
  return (
    <div class="rk-line rk-terms">
      <span class="rk-left">
        <Formula latex={`${element.left} =`} />
      </span>
      {element.terms.length === 0 && <span class="rk-soft">{text("formula.tooLongElement", { count: element.count })}</span>}
      {shown.map((one, k) => {
        const negative = one.latex.startsWith("-");
        const sign = negative ? "−" : k ? "+" : "";
        return (
          <span class="rk-term-group">
            {sign && <span class="rk-sign">{sign}</span>}
            <button
              type="button"
              class={`rk-term${marked?.(one) ? " rk-found" : ""}`}
              aria-pressed={term === one}
              title={one.text}
              data-links={one.links.join(" ")}
              onClick={() => onTerm(term === one ? null : one)}
            >
              <Formula latex={negative ? one.latex.slice(1) : one.latex} plain={negative ? one.text.replace(/^-/, "") : one.text} />
            </button>
          </span>
        );
      })}
      {shown.length < element.terms.length && (
        <button type="button" onClick={() => setAll(true)}>
          {text("equations.allTerms", { count: element.terms.length })}
        </button>
      )}
    </div>
  );
}
