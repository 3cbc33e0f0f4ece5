// Work that draws many parts of a page: done in slices, so that the page answers between them, and for parts that
// ask for it only once they come into view.

const SLICE = 8; // [ms] of one slice
const NEAR = "300px"; // beyond the window

type Work = () => void;

const queue = new Set<Work>();
const unseen = new Map<Element, Work>();
let observer: IntersectionObserver | null = null;
let running = false;

function run(): void {
  const end = performance.now() + SLICE;
  try {
    for (const work of queue) {
      queue.delete(work);
      work();
      if (performance.now() >= end) break;
    }
  } finally {
    running = queue.size > 0;
    if (running) setTimeout(run);
  }
}

function add(work: Work): void {
  queue.add(work);
  if (running) return;
  running = true;
  setTimeout(run);
}

function seen(entries: IntersectionObserverEntry[]): void {
  for (const { target, isIntersecting } of entries) {
    const work = unseen.get(target);
    if (!isIntersecting || !work) continue;
    unseen.delete(target);
    observer!.unobserve(target);
    add(work);
  }
}

/** Do the work on an element soon, or (lazy) once it comes near the window. Returns a function that calls it off. */
export function renderLater(element: Element, lazy: boolean, work: Work): () => void {
  if (lazy) {
    observer ??= new IntersectionObserver(seen, { rootMargin: NEAR });
    unseen.set(element, work);
    observer.observe(element);
  } else add(work);
  return () => {
    queue.delete(work);
    if (unseen.delete(element)) observer!.unobserve(element);
  };
}
