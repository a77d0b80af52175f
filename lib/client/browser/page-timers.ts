import { atMostMs, type Clock } from '#lib/async/wait.ts';

const PAGE: Clock = {
  nowMs: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Waits for the work, but no longer than `ms`. @throws the signal's reason as soon as it is aborted; what `work` rejects with */
export function withinMs(work: Promise<unknown>, ms: number, signal?: AbortSignal): Promise<void> {
  return atMostMs(PAGE, work, ms, signal);
}

/** @throws the signal's reason as soon as it is aborted */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return withinMs(new Promise(() => {}), ms, signal);
}

/** Lets the browser draw frames and handle input in between. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve);
  });
}
