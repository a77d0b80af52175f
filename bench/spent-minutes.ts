import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { RunningService } from '../e2e/running/running-service.ts';

/** What the upstream received in each minute of its allowance. */
export class SpentMinutes {
  readonly #perMinute: number;
  readonly #byMinute = new Map<number, number>();

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** Takes what the service has recorded: it keeps the latest 10,000 requests. */
  async take(service: RunningService): Promise<void> {
    const requests = await service.requests();
    await service.forgetRequests();
    for (const { received_at } of requests) {
      const minute = Math.floor(Date.parse(received_at) / MINUTE_MS);
      this.#byMinute.set(minute, (this.#byMinute.get(minute) ?? 0) + 1);
    }
  }

  get requests(): number {
    return this.#counts.reduce((sum, each) => sum + each, 0);
  }

  /** Requests beyond the allowance, which the service refused. */
  get refused(): number {
    return this.#counts.reduce((sum, each) => sum + Math.max(0, each - this.#perMinute), 0);
  }

  get fullestMinute(): number {
    return Math.max(0, ...this.#counts);
  }

  get #counts(): readonly number[] {
    return [...this.#byMinute.values()];
  }
}
