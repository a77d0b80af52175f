import 'server-only';
import { setTimeout as delay } from 'node:timers/promises';
import { LiveScheduler, type LiveSchedulerOptions } from './live-scheduler.ts';

/** Starting more than ten generations a second gains nothing. */
const MIN_PAUSE_MS = 100;
/** Only the answers tell what sent refreshes cost. */
const STOP_REFRESHES_MS = 1000;

/** A scheduler with its own timer. */
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

  /** Waits a little for running refreshes. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.scheduler.stop();
    clearTimeout(this.#timer);
    await Promise.race([this.scheduler.idle(), delay(STOP_REFRESHES_MS, undefined, { ref: false })]);
  }
}
