import 'server-only';
import { setTimeout as delay } from 'node:timers/promises';
import { RequestScheduler, type RequestSchedulerOptions } from './request-scheduler.ts';

/** More than ten generations a second gain nothing. */
const MIN_PAUSE_MS = 100;
/** Only the answers tell what sent refreshes cost. */
const STOP_REFRESHES_MS = 1000;

export class LiveWriter {
  readonly scheduler: RequestScheduler;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: RequestSchedulerOptions) {
    this.scheduler = new RequestScheduler({
      ...options,
      afterGeneration: (nextTickInMs) => {
        options.afterGeneration?.(nextTickInMs);
        clearTimeout(this.#timer);
        if (nextTickInMs === undefined || this.#isStopped) return;
        this.#timer = setTimeout(() => void this.scheduler.tick(), Math.max(MIN_PAUSE_MS, nextTickInMs)).unref();
      },
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.scheduler.stop();
    clearTimeout(this.#timer);
    await Promise.race([this.scheduler.idle(), delay(STOP_REFRESHES_MS, undefined, { ref: false })]);
  }
}
