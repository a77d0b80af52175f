import 'server-only';
import { setTimeout as delay } from 'node:timers/promises';
import { LiveScheduler, type LiveSchedulerOptions } from './live-scheduler.ts';

/** The shortest pause between two generations: starting more than ten a second gains nothing. */
const MIN_PAUSE_MS = 100;
/** How long a stop waits for refreshes that were sent: what they cost is known only with their answers. */
const STOP_REFRESHES_MS = 1000;

/** A scheduler that goes on by itself. */
export class LiveWriter {
  readonly scheduler: LiveScheduler;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: LiveSchedulerOptions) {
    this.scheduler = new LiveScheduler({
      ...options,
      afterGeneration: (nextTickInMs) => {
        options.afterGeneration?.(nextTickInMs);
        clearTimeout(this.#timer);
        if (nextTickInMs === undefined || this.#isStopped) return;
        this.#timer = setTimeout(() => void this.scheduler.tick(), Math.max(MIN_PAUSE_MS, nextTickInMs)).unref();
      },
    });
  }

  /** Starts no further refresh, and waits a little for those that are running. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.scheduler.stop();
    clearTimeout(this.#timer);
    await Promise.race([this.scheduler.idle(), delay(STOP_REFRESHES_MS, undefined, { ref: false })]);
  }
}
