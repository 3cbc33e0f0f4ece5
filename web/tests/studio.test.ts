// The studio's page against a server that the test plays: edits, openings and jobs over broken connections.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { DocumentEdit, EditedDocument } from "../src/studio/messages";
import { CancelledJob, Studio } from "../src/studio/studio";
import { FakeSocket, type SentRequest } from "./fake_socket";

const edit = (value: string): DocumentEdit => ({ type: "set_value", path: ["name"], value });
const robot = (revision: number, text: string): EditedDocument => ({
  revision,
  text,
  cells: null,
  file: "",
  source: "",
  saved: false,
  undo: "",
  redo: "",
});
const done = (job: number, more: object = {}) => ({ type: "job_done", job, result: null, error: "", cancelled: false, seconds: 0, ...more });

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", FakeSocket);
  FakeSocket.made = [];
  const kept = new Map<string, string>();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  });
  vi.stubGlobal("location", { hash: "#structure" });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Pending promises go on. */
const turn = () => vi.advanceTimersByTimeAsync(0);
const socket = () => FakeSocket.made.at(-1)!;
const requests = (type: string): SentRequest[] => FakeSocket.made.flatMap(({ sent }) => sent).filter((one) => one.type === type);

/** The server opens the session with its document. */
async function connects(document: EditedDocument | null): Promise<void> {
  socket().opens();
  await turn();
  const { id } = socket().sent.at(-1)!;
  socket().says({ id, type: "session_opened", session: "s", document, checked: null, start: null, version: "1", workspace: "here" });
  await turn();
}

async function reconnects(document: EditedDocument | null): Promise<void> {
  await vi.advanceTimersByTimeAsync(250);
  await connects(document);
}

async function started(document: EditedDocument | null = robot(1, "old")): Promise<Studio> {
  const studio = new Studio("ws://here");
  studio.start();
  await connects(document);
  return studio;
}

test("an edit is done with its reply; an older document does not replace a newer one", async () => {
  const studio = await started();
  const end = studio.edit(edit("arm"));
  await turn();
  const [sent] = requests("edit");
  expect(sent).toMatchObject({ edit: edit("arm"), revision: 1 });
  socket().says({ type: "document_changed", document: robot(3, "newest") });
  socket().says({ id: sent!.id, type: "document", document: robot(2, "new"), notes: [] });
  expect(await end).toBe(true);
  expect(studio.document?.text).toBe("newest");
});

test("the selection follows a renamed link, and ends with a deleted one", async () => {
  const studio = await started();
  const links = (revision: number, ...names: string[]): EditedDocument => {
    const cells = { base: "base", links: names.map((name) => ({ name })) } as unknown as EditedDocument["cells"];
    return { ...robot(revision, names.join()), cells };
  };
  const selections: string[] = [];
  const takes = async (document: EditedDocument) => {
    socket().says({ type: "document_changed", document });
    await turn();
    selections.push(studio.selectedLink);
  };
  await takes(links(2, "l1", "l2"));
  studio.selectLink("l2");
  await takes(links(3, "l1", "gripper"));
  await takes({ ...links(4), cells: null }); // the text is being typed
  await takes(links(5, "arm", "gripper"));
  await takes(links(6, "arm"));
  expect(selections).toEqual(["", "gripper", "gripper", "gripper", ""]);
});

test("a refused edit is shown, and the document stays", async () => {
  const studio = await started();
  const end = studio.edit(edit("arm"));
  await turn();
  socket().says({ id: requests("edit")[0]!.id, type: "refused", message: "No such cell." });
  expect(await end).toBe(false);
  expect([studio.message, studio.document?.text]).toEqual(["No such cell.", "old"]);
});

test("edits over a broken connection wait, and are sent when the server has the same text", async () => {
  const studio = await started();
  const first = studio.edit(edit("1"));
  await turn();
  socket().breaks();
  await turn();
  const second = studio.edit(edit("2"));
  expect([studio.connected, studio.waitingEdits.count]).toEqual([false, 2]);
  await reconnects(robot(1, "old"));
  expect(studio.editsDiffer).toBe(false);
  for (const revision of [2, 3]) {
    socket().says({ id: socket().sent.at(-1)!.id, type: "document", document: robot(revision, `text ${revision}`), notes: [] });
    await turn();
  }
  expect(await Promise.all([first, second])).toEqual([true, true]);
  expect(requests("edit").map((one) => (one["edit"] as { value: string }).value)).toEqual(["1", "1", "2"]);
  expect(studio.document?.text).toBe("text 3");
});

test("edits that were typed for another text wait for the user", async () => {
  const studio = await started();
  socket().breaks();
  const waiting = studio.edit(edit("1"));
  await reconnects(robot(5, "changed elsewhere"));
  expect([studio.editsDiffer, studio.waitingEdits.count, requests("edit").length]).toEqual([true, 1, 0]);
  studio.dropWaiting();
  expect(await waiting).toBe(false);
  expect(studio.waitingEdits.count).toBe(0);
});

test("of two robots asked for while nobody answers the newer one opens", async () => {
  vi.stubGlobal("history", { replaceState: () => undefined });
  const studio = await started(null);
  socket().breaks();
  const older = studio.open({ type: "open_shipped", name: "puma560" }, "puma560");
  const newer = studio.open({ type: "open_shipped", name: "panda" }, "panda");
  expect(studio.waitingRobot).toBe("panda");
  await reconnects(null);
  expect(requests("open_shipped").map(({ name }) => name)).toEqual(["panda"]);
  socket().says({ id: socket().sent.at(-1)!.id, type: "document", document: robot(1, "panda"), notes: [] });
  await Promise.all([older, newer]);
  expect([studio.document?.text, studio.screen, studio.waitingRobot]).toEqual(["panda", "structure", ""]);
});

test("progress and end of a job that come before its number reach it", async () => {
  const studio = await started();
  const lines: string[] = [];
  const result = studio.run("laws", {}, { progress: (line) => lines.push(line) });
  await turn();
  socket().says({ type: "job_progress", job: 7, text: "half" });
  socket().says(done(7, { result: { laws: [], frames: [], frame: "hand" } }));
  socket().says({ id: requests("run_job")[0]!.id, type: "job_started", job: 7 });
  expect(await result).toMatchObject({ frame: "hand" });
  expect(lines).toEqual(["half"]);
});

test("a job whose connection breaks is run again on the next one", async () => {
  const studio = await started();
  const result = studio.run("laws", {});
  await turn();
  socket().says({ id: requests("run_job")[0]!.id, type: "job_started", job: 1 });
  await turn();
  socket().breaks();
  await reconnects(robot(1, "old"));
  expect(requests("run_job").length).toBe(2);
  socket().says({ id: requests("run_job")[1]!.id, type: "job_started", job: 2 });
  await turn();
  socket().says(done(2, { result: { laws: [], frames: [], frame: "tool" } }));
  expect(await result).toMatchObject({ frame: "tool" });
});

test("a cancelled job asks the server to stop, and rejects when it has", async () => {
  const studio = await started();
  const stop = new AbortController();
  const result = studio.run("laws", {}, { signal: stop.signal });
  const ends = expect(result).rejects.toBeInstanceOf(CancelledJob);
  await turn();
  socket().says({ id: requests("run_job")[0]!.id, type: "job_started", job: 4 });
  await turn();
  stop.abort();
  expect(requests("cancel_job")).toMatchObject([{ job: 4 }]);
  socket().says(done(4, { cancelled: true, error: "stopped" }));
  await ends;
});

test("a job that is cancelled while nobody answers is never sent", async () => {
  const studio = await started();
  socket().breaks();
  const stop = new AbortController();
  const result = studio.run("laws", {}, { signal: stop.signal });
  const ends = expect(result).rejects.toBeInstanceOf(CancelledJob);
  stop.abort();
  await ends;
  await reconnects(robot(1, "old"));
  expect(requests("run_job")).toEqual([]);
});
