import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { ClockState } from '../fusion/feed-times.ts';
import type { FeedTraits } from '../fusion/fused-feed.ts';
import type { TimedFix } from '../fusion/gate.ts';
import type { StationMessage } from './fix-batch.ts';

const FIXES_MAX = 5000;
const OPEN_MS = SECOND_MS;

interface Station {
  readonly feed: FeedTraits;
  clock: ClockState;
  readonly fixes: TimedFix[];
}

/** Fixes that are sent together. */
export class OutgoingBatch {
  readonly since: UpstreamInstant;
  count = 0;
  /** By station. */
  readonly countOf = new Map<string, number>();
  /** Whether it was sent, once it was, or was dropped. */
  readonly outcome: Promise<boolean>;
  end: (isSent: boolean) => void = () => {};
  #stations: Map<string, Station> | undefined = new Map();
  #bytes: Promise<Uint8Array> | undefined;

  constructor(since: UpstreamInstant) {
    this.since = since;
    this.outcome = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  takesMore(now: UpstreamInstant): boolean {
    return this.#stations !== undefined && this.count < FIXES_MAX && now < addMs(this.since, OPEN_MS);
  }

  add(feed: FeedTraits, clock: ClockState, timed: TimedFix): void {
    let station = this.#stations!.get(feed.id);
    if (station === undefined) {
      station = { feed, clock, fixes: [] };
      this.#stations!.set(feed.id, station);
    }
    station.clock = clock;
    station.fixes.push(timed);
    this.count += 1;
    this.countOf.set(feed.id, station.fixes.length);
  }

  /** What is sent; from the first call on the batch takes nothing more. */
  bytes(write: (stations: readonly StationMessage[]) => Promise<Uint8Array>): Promise<Uint8Array> {
    const stations = [...(this.#stations?.values() ?? [])];
    this.#bytes ??= write(stations.map(({ feed, clock, fixes }) => ({ feed, message: { clock, fixes } })));
    this.#stations = undefined;
    return this.#bytes;
  }
}
