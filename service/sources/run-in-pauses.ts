/** Longest run at a time. An incoming request needs several turns of the event loop and may wait this long at each. */
const RUN_MS = 2;

/** Runs all steps in the background, between other work. They do not keep the process alive. */
export function runInPauses(steps: Iterator<void>): void {
  setImmediate(() => {
    const begin = performance.now();
    while (performance.now() - begin < RUN_MS) {
      if (steps.next().done) return;
    }
    runInPauses(steps);
  }).unref();
}
