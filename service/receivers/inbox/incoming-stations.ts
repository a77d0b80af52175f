import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { makeMinuteCount } from '../feeds/minute-count.ts';
import type { ClockState } from '../fusion/feed-times.ts';
import type { FeedTraits } from '../fusion/fused-feed.ts';
import type { FixBatch } from './fix-batch.ts';

/** A station that another service reads. */
export interface IncomingStation {
  readonly service: string;
  readonly feed: FeedTraits;
  readonly clock: ClockState;
  /** Since when it sends, as far as this service knows. */
  readonly since: UpstreamInstant;
  readonly lastAt: UpstreamInstant;
  /** How often something of it came. */
  readonly batches: number;
  readonly positions: number;
  readonly positionsPerMinute: number;
}

interface Known {
  feed: FeedTraits;
  clock: ClockState;
  readonly since: UpstreamInstant;
  lastAt: UpstreamInstant;
  batches: number;
  positions: number;
  readonly minute: ReturnType<typeof makeMinuteCount>;
}

/** Its service is gone, or does not read it any more. */
const FORGOTTEN_AFTER_MS = 10 * MINUTE_MS;

/** The stations that other services read, by what comes of them. */
export class IncomingStations {
  readonly #own: string;
  readonly #known = new Map<string, Map<string, Known>>();

  /** @param own this service, whose stations are no others' */
  constructor(own: string) {
    this.#own = own;
  }

  note({ service, stations }: FixBatch, now: UpstreamInstant): void {
    if (service === this.#own) return;
    const ofService = this.#known.get(service) ?? new Map<string, Known>();
    this.#known.set(service, ofService);
    for (const { feed, message } of stations) {
      let known = ofService.get(feed.id);
      if (known === undefined) {
        known = {
          feed,
          clock: message.clock,
          since: now,
          lastAt: now,
          batches: 0,
          positions: 0,
          minute: makeMinuteCount(),
        };
        ofService.set(feed.id, known);
      }
      known.feed = feed;
      known.clock = message.clock;
      known.lastAt = now;
      known.batches += 1;
      known.positions += message.fixes.length;
      known.minute.add(now, message.fixes.length);
    }
  }

  all(now: UpstreamInstant): IncomingStation[] {
    const gone = addMs(now, -FORGOTTEN_AFTER_MS);
    for (const [service, stations] of this.#known) {
      for (const [id, { lastAt }] of stations) if (lastAt < gone) stations.delete(id);
      if (stations.size === 0) this.#known.delete(service);
    }
    return [...this.#known].flatMap(([service, stations]) =>
      [...stations.values()].map(({ minute, ...known }) => ({
        ...known,
        service,
        positionsPerMinute: minute.count(now),
      })),
    );
  }
}
