/** Longest run at a time. A request that comes in meanwhile needs some turns of the event loop, and waits so long at each. */
const RUN_MS = 2;

/** Runs steps to their end between other work of the process, which they do not keep alive. */
export function runInPauses(steps: Iterator<void>): void {
  setImmediate(() => {
    const begin = performance.now();
    while (performance.now() - begin < RUN_MS) {
      if (steps.next().done) return;
    }
    runInPauses(steps);
  }).unref();
}
