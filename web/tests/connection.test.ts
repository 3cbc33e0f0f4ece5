import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Connection, LostConnection, RefusedRequest } from "../src/studio/connection";
import { FakeSocket } from "./fake_socket";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", FakeSocket);
  FakeSocket.made = [];
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const opened = () => {
  const connection = new Connection("ws://here");
  connection.open();
  FakeSocket.made[0]!.opens();
  return connection;
};

test("replies reach their requests in any order, refusals reject", async () => {
  const connection = opened();
  const [socket] = FakeSocket.made;
  const [first, second] = [connection.ask({ type: "undo" }, "document"), connection.ask({ type: "list_start" }, "start_list")];
  socket!.says({ id: socket!.sent[1]!.id, type: "start_list", shipped: [], files: [], recoverable: [] });
  socket!.says({ id: socket!.sent[0]!.id, type: "refused", message: "There is nothing to undo." });
  expect((await second).type).toBe("start_list");
  await expect(first).rejects.toThrow(new RefusedRequest("There is nothing to undo."));
});

test("messages without an id are events", () => {
  const connection = opened();
  const seen: string[] = [];
  connection.onEvent = (event) => seen.push(event.type);
  FakeSocket.made[0]!.says({ type: "file_changed", file: "a.toml" });
  expect(seen).toEqual(["file_changed"]);
});

test("a broken connection rejects what waits, and is opened again, each time later, 5 s at most", async () => {
  const connection = opened();
  let closed = 0;
  connection.onClose = () => (closed += 1);
  const lost = connection.ask({ type: "undo" }, "document");
  FakeSocket.made[0]!.breaks();
  await expect(lost).rejects.toBeInstanceOf(LostConnection);
  await expect(connection.ask({ type: "undo" }, "document")).rejects.toBeInstanceOf(LostConnection);
  for (const delay of [250, 500, 1000, 2000, 4000, 5000, 5000]) {
    const count = FakeSocket.made.length;
    vi.advanceTimersByTime(delay - 1);
    expect(FakeSocket.made.length).toBe(count);
    vi.advanceTimersByTime(1);
    expect(FakeSocket.made.length).toBe(count + 1);
    FakeSocket.made.at(-1)!.breaks();
  }
  expect(closed).toBe(8);
});

test("a page that connects by itself has one socket, also when the pause ends", () => {
  const connection = opened();
  FakeSocket.made[0]!.breaks();
  connection.open();
  connection.open();
  FakeSocket.made[1]!.opens();
  vi.advanceTimersByTime(10_000);
  expect(FakeSocket.made.length).toBe(2);
});
