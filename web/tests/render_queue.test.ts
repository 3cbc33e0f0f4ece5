import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { renderLater } from "../src/panels/render_queue";

let observed = new Set<Element>();
let see: (element: Element) => void = () => undefined;
let now = 0;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.stubGlobal("performance", { now: () => now });
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      constructor(callback: (entries: object[]) => void) {
        see = (target) => observed.has(target) && callback([{ target, isIntersecting: true }]);
      }
      observe = (element: Element) => observed.add(element);
      unobserve = (element: Element) => observed.delete(element);
    },
  );
});
afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("the page answers between slices of the work", () => {
  let done = 0;
  for (let k = 0; k < 10; k++) renderLater({} as Element, false, () => ((done += 1), (now += 3)));
  expect(done).toBe(0);
  vi.advanceTimersToNextTimer();
  expect(done).toBe(3); // 9 ms
  vi.advanceTimersToNextTimer();
  expect(done).toBe(6);
  vi.runAllTimers();
  expect(done).toBe(10);
});

test("what is out of sight waits, and is called off with its element", () => {
  const [first, second] = [{} as Element, {} as Element];
  const done: string[] = [];
  renderLater(first, true, () => done.push("first"));
  const end = renderLater(second, true, () => done.push("second"));
  const never = renderLater({} as Element, false, () => done.push("never"));
  never();
  vi.runAllTimers();
  expect(done).toEqual([]);
  see(first);
  end();
  see(second);
  vi.runAllTimers();
  expect(done).toEqual(["first"]);
  expect(observed.size).toBe(0);
});
