import { type Clock, waitsOf } from '#lib/async/wait.ts';

const PAGE: Clock = {
  nowMs: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export const { withinMs, sleep } = waitsOf(PAGE);

/** Lets the browser draw frames and handle input in between. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve);
  });
}
