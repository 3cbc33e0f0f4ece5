// The studio's page: its session, document, robot and jobs. Screens read it and draw again when it changes.

import type { RobotDocument, Visual } from "../document/model_document";
import { RobotState } from "../mechanics/robot_state";
import { text } from "../texts/texts";
import type { Viewer } from "../viewer/viewer";
import { Connection, LostConnection, RefusedRequest } from "./connection";
import type { CheckedRobot, DocumentEdit, DocumentReply, EditedDocument, JobDone, Request, Save, Saved, SaveConflict, StudioEvent } from "./messages";
import type { ScreenName } from "./screens";
import { followed } from "./selected_link";
import type { Tasks } from "./tasks";
import { WaitingEdits } from "./waiting_edits";

export interface JobOptions {
  progress?: (text: string) => void;
  signal?: AbortSignal;
}

interface RunningJob {
  progress: (text: string) => void;
  done: (end: JobDone) => void;
  /** The connection breaks, and the server stops the job. */
  lost: () => void;
}

/** A job was stopped by the user. */
export class CancelledJob extends Error {}

/** Requests that open a robot. */
export type OpeningRequest = Extract<Request, { type: "new_robot" | "open_shipped" | "open_file" | "recover" }>;

const MOST_NOTES = 5; // about meshes that are not shown
const SESSION = "rikigaku-session";

export class Studio {
  document: EditedDocument | null = null;
  checked: CheckedRobot | null = null;
  /** The robot of the newest revision that could be drawn; null before the first. */
  state: RobotState | null = null;
  /** The picture beside the screens. */
  viewer: Viewer | null = null;
  screen: ScreenName = "start";
  /** The link whose row has the focus; "" for none. */
  selectedLink = "";
  connected = false;
  /** The sentence that the page shows below its bar; "" for none. */
  message = "";
  workspace = "";
  version = "";
  /** Edits typed while the server does not answer. */
  readonly waitingEdits = new WaitingEdits();
  /** Whether the waiting edits were typed for another text than the server has now: the user decides. */
  editsDiffer = false;
  /** Whether the robot was begun as a closed one: its loop is to be added. */
  begunClosed = false;
  /** What opens as soon as the server answers; "" for nothing. */
  waitingRobot = "";
  private last: Promise<boolean> = Promise.resolve(true);
  /** Ends when the waiting edits of the last reconnection are sent. */
  private sending: Promise<void> = Promise.resolve();
  /** Requests to open a robot; the newest counts. */
  private openings = 0;
  private readonly connecting = new Set<() => void>();
  /** Visuals of the file that the document was read from; key: the file and the bodies they are on. */
  private visuals: { key: string; found: Visual[] } = { key: "", found: [] };
  /** The revision whose picture `state` is. */
  private drawn = 0;
  private readonly listeners = new Set<() => void>();
  private readonly jobs = new Map<number, RunningJob>();
  /** Events of jobs whose number is not known yet. */
  private early: StudioEvent[] = [];
  readonly connection: Connection;

  constructor(address: string) {
    this.connection = new Connection(address);
    this.connection.onEvent = (event) => void this.received(event);
    this.connection.onOpen = () => void this.openSession();
    this.connection.onClose = () => {
      this.connected = false;
      this.endJobs();
      this.changed();
    };
  }

  start(): void {
    this.connection.open();
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  changed(): void {
    for (const listener of this.listeners) listener();
  }

  /** Show a sentence to the user. */
  say(message: string): void {
    this.message = message;
    this.changed();
  }

  show(screen: ScreenName): void {
    this.screen = screen;
    if (location.hash !== `#${screen}`) history.replaceState(null, "", `#${screen}`);
    this.changed();
  }

  /** Mark a link in its table and in the picture. */
  selectLink(name: string): void {
    if (this.selectedLink === name) return;
    this.selectedLink = name;
    this.highlightSelected();
    this.changed();
  }

  highlightSelected(): void {
    const body = this.viewer?.state.robot.bodies.indexOf(this.selectedLink) ?? -1;
    this.viewer?.highlight(body < 0 ? [] : [body]);
  }

  /**
   * Change the document; a refusal is shown. Returns whether it was done. While the server does not answer the
   * edit waits.
   */
  edit(edit: DocumentEdit): Promise<boolean> {
    this.last = this.connected && !this.waitingEdits.count ? this.send(edit) : this.wait(edit);
    return this.last;
  }

  private async send(edit: DocumentEdit): Promise<boolean> {
    return (await this.sent(edit)) ?? this.wait(edit);
  }

  /** Whether the server has made the edit; null where it does not answer. */
  private async sent(edit: DocumentEdit): Promise<boolean | null> {
    let lost = false;
    const done = await this.attempt(async () => {
      const revision = this.document?.revision ?? 0;
      try {
        this.take((await this.connection.ask({ type: "edit", edit, revision }, "document")).document);
      } catch (error) {
        if (!(error instanceof LostConnection)) throw error;
        lost = true;
      }
    });
    return lost ? null : done;
  }

  private wait(edit: DocumentEdit): Promise<boolean> {
    const done = this.waitingEdits.add(edit, this.document?.text ?? "");
    this.changed();
    return done;
  }

  /** Send the edits that wait to the document that the server has now. */
  sendWaiting(): Promise<void> {
    this.editsDiffer = false;
    return (this.sending = this.waitingEdits.sendAll((edit) => this.sent(edit)).then(() => this.changed()));
  }

  dropWaiting(): void {
    this.editsDiffer = false;
    this.waitingEdits.dropAll();
    this.changed();
  }

  /** Until the edits of this page are done. */
  async settled(): Promise<void> {
    await this.last;
  }

  /** The page goes: what is being typed is sent. */
  leaving(): void {
    (document.activeElement as HTMLElement | null)?.blur();
  }

  async undo(): Promise<boolean> {
    if (this.waitingEdits.dropLast()) {
      this.changed();
      return true;
    }
    return this.attempt(async () => this.take((await this.connection.ask({ type: "undo" }, "document")).document));
  }

  async redo(): Promise<boolean> {
    return this.attempt(async () => this.take((await this.connection.ask({ type: "redo" }, "document")).document));
  }

  /**
   * Open a robot; the structure screen shows it. While the server does not answer the request waits, unless a
   * newer one takes its place. name: what the page says about it meanwhile.
   */
  async open(request: OpeningRequest, name: string): Promise<boolean> {
    const own = ++this.openings;
    let found: string[] = [];
    const opened = await this.attempt(async () => {
      const reply = await this.answered(request, name, () => own === this.openings);
      if (!reply) return;
      found = reply.notes;
      this.checked = this.state = null;
      this.drawn = 0;
      this.selectedLink = "";
      this.begunClosed = request.type === "new_robot" && request.kind === "closed";
      this.dropWaiting(); // they were typed for another robot
      this.take(reply.document);
      this.show("structure");
    });
    if (found.length) this.say(found.join("\n"));
    return opened;
  }

  /** The reply to a request to open a robot, also after a new connection; null where a newer one counts. */
  private async answered(request: OpeningRequest, name: string, counts: () => boolean): Promise<DocumentReply | null> {
    for (;;) {
      if (!this.connected) {
        this.waitingRobot = name;
        this.changed();
      }
      await this.whenConnected();
      await this.sending;
      if (!counts()) return null;
      this.waitingRobot = "";
      try {
        return await this.connection.ask(request, "document");
      } catch (error) {
        // unsaved work can be recovered once: its request is not repeated
        if (!this.isLost(error) || request.type === "recover") throw error;
      }
    }
  }

  /** Whether the connection is lost, until the session is open again. */
  private isLost(error: unknown): boolean {
    if (!(error instanceof LostConnection)) return false;
    this.connected = false; // the socket may be closing only
    return true;
  }

  /** Ends at once while the server answers, else with the next connection; rejects where the signal stops it. */
  private whenConnected(signal?: AbortSignal): Promise<void> {
    if (this.connected) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const end = () => {
        this.connecting.delete(end);
        signal?.removeEventListener("abort", stop);
        resolve();
      };
      const stop = () => {
        this.connecting.delete(end);
        reject(new CancelledJob());
      };
      this.connecting.add(end);
      signal?.addEventListener("abort", stop, { once: true });
    });
  }

  async save(path: string, choice: Save["choice"]): Promise<Saved | SaveConflict | null> {
    let reply: Saved | SaveConflict | null = null;
    await this.attempt(async () => {
      reply = await this.connection.ask({ type: "save", path, choice }, "saved", "save_conflict");
      if (reply.type === "saved") this.take(reply.document);
    });
    return reply;
  }

  /**
   * Run a task of the server on the document in a process of its own. Rejects with `CancelledJob` where the
   * signal stops it, and with the server's sentence where it fails. A task whose connection breaks is run again
   * on the next one.
   */
  async run<Name extends keyof Tasks>(task: Name, argument: Tasks[Name][0], options: JobOptions = {}): Promise<Tasks[Name][1]> {
    for (;;) {
      await this.whenConnected(options.signal);
      await this.sending;
      try {
        return await this.runOnce(task, argument, options);
      } catch (error) {
        if (!this.isLost(error)) throw error;
      }
    }
  }

  private async runOnce<Name extends keyof Tasks>(task: Name, argument: Tasks[Name][0], options: JobOptions): Promise<Tasks[Name][1]> {
    options.signal?.throwIfAborted();
    const { job } = await this.connection.ask(
      { type: "run_job", task, arguments: argument as unknown as Record<string, unknown> },
      "job_started",
    );
    return new Promise((resolve, reject) => {
      const stop = () => void this.connection.ask({ type: "cancel_job", job }, "done").catch(() => undefined);
      options.signal?.addEventListener("abort", stop);
      this.jobs.set(job, {
        progress: options.progress ?? (() => undefined),
        done: (end) => {
          this.jobs.delete(job);
          options.signal?.removeEventListener("abort", stop);
          if (end.cancelled) reject(new CancelledJob(end.error));
          else if (end.error) reject(new RefusedRequest(end.error));
          else resolve(end.result as Tasks[Name][1]);
        },
        lost: () => {
          this.jobs.delete(job);
          options.signal?.removeEventListener("abort", stop);
          reject(options.signal?.aborted ? new CancelledJob() : new LostConnection());
        },
      });
      if (options.signal?.aborted) stop(); // between the request and its reply
      const early = this.early;
      this.early = [];
      for (const event of early) void this.received(event);
    });
  }

  /** The server stops the jobs of a page that is gone. */
  private endJobs(): void {
    this.early = [];
    for (const { lost } of [...this.jobs.values()]) lost();
  }

  private async attempt(action: () => Promise<void>): Promise<boolean> {
    try {
      await action();
      if (this.message) this.say("");
      return true;
    } catch (error) {
      this.say(error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  private async openSession(): Promise<void> {
    await this.attempt(async () => {
      const session = sessionStorage.getItem(SESSION) ?? "";
      const opened = await this.connection.ask({ type: "open_session", session }, "session_opened");
      sessionStorage.setItem(SESSION, opened.session);
      [this.connected, this.version, this.workspace] = [true, opened.version, opened.workspace];
      this.document = opened.document;
      if (this.waitingEdits.count) {
        this.editsDiffer = !this.waitingEdits.fit(opened.document?.text ?? "");
        if (!this.editsDiffer) void this.sendWaiting();
      }
      if (opened.document && !location.hash) this.show("structure");
      for (const end of [...this.connecting]) end();
      if (opened.start) void this.open(opened.start, opened.start.type === "open_file" ? opened.start.path : opened.start.name);
      if (opened.checked) await this.takeChecked(opened.checked);
    });
    this.changed();
  }

  private take(document: EditedDocument): void {
    if (this.document && document.revision < this.document.revision) return;
    this.selectedLink = followed(this.selectedLink, this.document?.cells, document.cells);
    this.document = document;
    this.changed();
  }

  private async takeChecked(checked: CheckedRobot): Promise<void> {
    this.checked = checked;
    if (checked.robot && this.state && this.drawn === checked.revision) await this.state.addLaws(checked.robot); // the rest of its laws
    else if (checked.robot) {
      const next = await RobotState.of(this.withVisuals(checked.robot));
      if (this.checked !== checked) return; // a newer one came meanwhile
      this.keepConfiguration(next);
      this.state = next;
      this.drawn = checked.revision;
    }
    this.changed();
  }

  /** The robot with the visuals of the file it was read from; they come later where its bodies are new. */
  private withVisuals(robot: RobotDocument): RobotDocument {
    const source = this.document?.source;
    if (!source) return robot;
    const key = JSON.stringify([source, robot.bodies]);
    if (this.visuals.key !== key) {
      this.visuals = { key, found: [] };
      void this.loadVisuals(key).catch((reason) => this.say(reason instanceof Error ? reason.message : String(reason)));
    }
    return { ...robot, visuals: this.visuals.found };
  }

  private async loadVisuals(key: string): Promise<void> {
    const { visuals, notes } = await this.run("visuals", {});
    if (this.visuals.key !== key) return;
    this.visuals.found = visuals;
    const checked = this.checked;
    if (visuals.length && checked?.robot && this.drawn === checked.revision) {
      const next = await RobotState.of(this.withVisuals(checked.robot));
      if (this.checked === checked) {
        this.keepConfiguration(next);
        this.state = next;
      }
    }
    this.changed();
    if (notes.length) this.say(notes.slice(0, MOST_NOTES).join("\n"));
  }

  /** The robot stays where the user has moved it, unless its coordinates or its chosen configuration changed. */
  private keepConfiguration(next: RobotState): void {
    const last = this.state;
    if (!last || last.robot.names.q.join() !== next.robot.names.q.join()) return;
    if (last.robot.q.join() !== next.robot.q.join()) return;
    const q = next.loops ? next.loops.close(last.q) : last.q;
    if (q) next.set(q);
  }

  private async received(event: StudioEvent): Promise<void> {
    if (event.type === "document_changed") this.take(event.document);
    else if (event.type === "document_checked") await this.takeChecked(event.checked);
    else if (event.type === "file_changed") this.say(text("studio.fileChanged", { file: event.file }));
    else {
      const job = this.jobs.get(event.job);
      if (!job) this.early.push(event);
      else if (event.type === "job_progress") job.progress(event.text);
      else job.done(event);
    }
  }
}
