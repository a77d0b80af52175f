/** Longest run at a time: what comes in meanwhile waits no longer than this for its turn. */
const RUN_MS = 5;

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
