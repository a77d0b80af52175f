import 'server-only';
import { type Clock, waitsOf } from '#lib/async/wait.ts';

/** The clock of this process, which waits and paced work of `lib/async` are given. */
export const MACHINE: Clock = {
  nowMs: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};

export const { withinMs, sleep } = waitsOf(MACHINE);

interface Deadline {
  readonly signal: AbortSignal;
  abort(): void;
  /** Clears the timer. Call it when the work has ended. */
  end(): void;
}

/** Aborts with `outer`, and after `ms`. AbortSignal.timeout would keep its timer after the work has ended. */
export function deadline(outer: AbortSignal, ms: number): Deadline {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const cancel = MACHINE.after(ms, abort);
  outer.addEventListener('abort', abort);
  if (outer.aborted) abort();
  const end = () => {
    cancel();
    outer.removeEventListener('abort', abort);
  };
  return { signal: controller.signal, abort, end };
}
