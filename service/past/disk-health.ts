import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import type { PastProblem } from './past.ts';

/** What is done with the disk. */
type DiskTask = 'write' | 'sync' | 'seal' | 'delete';

const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** Which of the tasks fail, and since when. Each beginning and end is logged once. */
export class DiskHealth {
  readonly #now: () => UpstreamInstant;
  readonly #log: (entry: string) => void;
  readonly #problems = new Map<DiskTask, PastProblem & { readonly lastAt: UpstreamInstant }>();

  constructor(now: () => UpstreamInstant, log: (entry: string) => void) {
    this.#now = now;
    this.#log = log;
  }

  /** The one that has lasted longest. */
  get problem(): PastProblem | undefined {
    const [first] = this.#problems.values();
    return first && { cause: first.cause, since: first.since, message: first.message };
  }

  /** Does a task. Resolves with whether it succeeded; never rejects. After a failure it is not tried again for `retryAfterMs`. */
  async watch(task: DiskTask, work: () => Promise<void>, retryAfterMs = 0): Promise<boolean> {
    const known = this.#problems.get(task);
    if (known && this.#now() < addMs(known.lastAt, retryAfterMs)) return false;
    try {
      await work();
    } catch (failure) {
      const cause = codeOf(failure) === undefined || !FULL.has(codeOf(failure)!) ? 'disk_failed' : 'disk_full';
      const message = `${task}: ${failure instanceof Error ? failure.message : String(failure)}`;
      const lastAt = this.#now();
      // Its place in the map stays that of the first failure.
      this.#problems.set(task, { cause, message, since: known?.since ?? lastAt, lastAt });
      if (known?.cause !== cause)
        this.#log(`past: ${cause}: observations are not stored as they should be (${message})`);
      return false;
    }
    if (this.#problems.delete(task)) this.#log(`past: ${task}: works again`);
    return true;
  }
}

function codeOf(failure: unknown): string | undefined {
  return failure instanceof Error && 'code' in failure ? String(failure.code) : undefined;
}
