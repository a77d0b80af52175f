import { atMostMs, type Clock } from '#lib/async/wait.ts';

const PAGE: Clock = {
  nowMs: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** `atMostMs` of lib/async/wait.ts. */
export function withinMs<T>(work: Promise<T>, ms: number, signal?: AbortSignal): Promise<T | undefined> {
  return atMostMs(PAGE, work, ms, signal);
}

/** @throws the signal's reason as soon as it is aborted */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return withinMs(new Promise<void>(() => {}), ms, signal);
}

/** Lets the browser draw frames and handle input in between. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve);
  });
}
