import { beforeEach, expect, test, vi } from "vitest";
import type { DocumentEdit } from "../src/studio/messages";
import { WaitingEdits } from "../src/studio/waiting_edits";

const edit = (value: string): DocumentEdit => ({ type: "set_value", path: ["name"], value });
const values = (edits: DocumentEdit[]) => edits.map((one) => (one as { value: string }).value);

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  });
});

test("edits are sent in their order, and wait on where nobody answers", async () => {
  const waiting = new WaitingEdits();
  const ends = ["1", "2", "3"].map((value) => waiting.add(edit(value), "text"));
  const sent: DocumentEdit[] = [];
  await waiting.sendAll((own) => {
    if (sent.length === 2) return Promise.resolve(null);
    sent.push(own);
    return Promise.resolve(true);
  });
  expect(values(sent)).toEqual(["1", "2"]);
  expect(await Promise.all(ends.slice(0, 2))).toEqual([true, true]);
  expect(waiting.count).toBe(1);
});

test("a reload keeps them, with the text they were typed for", () => {
  const waiting = new WaitingEdits();
  void waiting.add(edit("1"), "old");
  void waiting.add(edit("2"), "old, changed on the page");
  const again = new WaitingEdits();
  expect([again.count, again.fit("old"), again.fit("new")]).toEqual([2, true, false]);
});

test("the last is taken back", async () => {
  const waiting = new WaitingEdits();
  const [first, second] = [waiting.add(edit("1"), ""), waiting.add(edit("2"), "")];
  expect(waiting.dropLast()).toBe(true);
  expect(await second).toBe(false);
  expect(waiting.count).toBe(1);
  waiting.dropAll();
  expect(await first).toBe(false);
  expect(waiting.dropLast()).toBe(false);
});

test("an edit on its way is not taken back: the server makes it", async () => {
  const waiting = new WaitingEdits();
  const [first, second] = [waiting.add(edit("1"), ""), waiting.add(edit("2"), "")];
  let answer: (done: boolean) => void = () => undefined;
  const all = waiting.sendAll(() => new Promise((done) => (answer = done)));
  expect(waiting.dropLast()).toBe(true); // the second waits
  expect(waiting.dropLast()).toBe(false); // the first is on its way
  answer(true);
  await all;
  expect([await first, await second]).toEqual([true, false]);
  expect(waiting.count).toBe(0);
});
