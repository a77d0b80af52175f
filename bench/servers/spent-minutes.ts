import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { RunningService } from '../../e2e/running/running-service.ts';
import { sum } from '../figures.ts';

export class SpentMinutes {
  readonly #perMinute: number;
  readonly #byMinute = new Map<number, number>();

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** The service keeps the latest 10,000. */
  async take(service: RunningService): Promise<void> {
    const requests = await service.requests();
    await service.forgetRequests();
    for (const { received_at } of requests) {
      const minute = Math.floor(Date.parse(received_at) / MINUTE_MS);
      this.#byMinute.set(minute, (this.#byMinute.get(minute) ?? 0) + 1);
    }
  }

  /** `overspent`: beyond the allowance, refused by the service. */
  get figures() {
    const counts = [...this.#byMinute.values()];
    return {
      requests: sum(counts),
      overspent: sum(counts.map((each) => Math.max(0, each - this.#perMinute))),
      fullest_minute: Math.max(0, ...counts),
    };
  }
}
