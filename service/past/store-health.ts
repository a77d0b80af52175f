import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import type { PastProblem } from './past.ts';

type StoreTask = 'write' | 'sync' | 'seal' | 'delete';

const FULL = new Set(['ENOSPC', 'EDQUOT']);

interface StoreClocks {
  readonly now: () => UpstreamInstant;
  /** Never set. */
  readonly steadyNow: () => UpstreamInstant;
}

export class StoreHealth {
  readonly #clocks: StoreClocks;
  readonly #log: (entry: string) => void;
  readonly #problems = new Map<StoreTask, PastProblem & { readonly lastAt: UpstreamInstant }>();

  constructor(clocks: StoreClocks, log: (entry: string) => void) {
    this.#clocks = clocks;
    this.#log = log;
  }

  get problem(): PastProblem | undefined {
    const [first] = this.#problems.values();
    return first && { cause: first.cause, since: first.since, message: first.message };
  }

  /** Never rejects. Skips the task for `retryAfterMs` after a failure. */
  async watch(task: StoreTask, work: () => Promise<void>, retryAfterMs = 0): Promise<boolean> {
    const known = this.#problems.get(task);
    if (known && this.#clocks.steadyNow() < addMs(known.lastAt, retryAfterMs)) return false;
    try {
      await work();
    } catch (failure) {
      const cause = causeOf(failure);
      const message = `${task}: ${failure instanceof Error ? failure.message : String(failure)}`;
      const lastAt = this.#clocks.steadyNow();
      this.#problems.set(task, { cause, message, since: known?.since ?? this.#clocks.now(), lastAt });
      if (known?.cause !== cause)
        this.#log(`past: ${cause}: observations are not stored as they should be (${message})`);
      return false;
    }
    if (this.#problems.delete(task)) this.#log(`past: ${task}: works again`);
    return true;
  }
}

function causeOf(failure: unknown): PastProblem['cause'] {
  const code = failure instanceof Error && 'code' in failure ? String(failure.code) : '';
  return FULL.has(code) ? 'disk_full' : 'disk_failed';
}
