import { LAYERS, type Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Past } from '../past/past.ts';
import { asStored } from '../past/stored-observation.ts';
import type { Observation, Source } from '../sources/observation.ts';
import { boxOfMost } from './box-of-most.ts';
import { datedFusion } from './dated-fusion.ts';
import type { Surroundings } from './feeds/feed.ts';
import type { Delivery } from './fix.ts';
import type { FeedState, FeedTraits } from './fusion/fused-feed.ts';
import { FINAL_AFTER_MS, HOLD_MS, makeFusion } from './fusion/fusion.ts';

/** Positions of one's own receivers: live from memory, the past from where it is recorded. */
export interface ReceivedSource extends Source {
  /** What a feed received. */
  deliver(feed: FeedTraits, delivery: Delivery, receivedAt: UpstreamInstant): void;
  /** How a feed stands, as far as its positions are concerned; undefined if none came yet. */
  feedState(id: string): FeedState | undefined;
  /**
   * A box around most of what is received now, for a map that opens over it; undefined while nothing is. It may cross 180°.
   * It says nothing of where a receiver is beyond what its positions say.
   */
  home(): Bbox | undefined;
  /**
   * Resolves once everything that was delivered before has been settled and written. False if something was not written,
   * because the disk is full for example, meanwhile or so shortly before that it could have been delivered again: of what is known
   * already nothing is written twice, so it would be taken for written.
   */
  written(): Promise<boolean>;
  /** Records all that was received, and ends. Whoever opened the past closes it. */
  stop(): void;
}

export interface ReceivedSourceOptions {
  /** One in memory has nothing to write. */
  readonly past: Pick<Past, 'append' | 'history' | 'historyTimes' | 'keptSince'> &
    Partial<Pick<Past, 'flush' | 'state'>>;
  readonly surroundings: Surroundings;
}

/** How often at most, and at least, what has waited long enough is served. */
const SETTLE_EVERY_MS = 100;
const WORLD: Bbox = { west: -180, south: -90, east: 180, north: 90 };

export function makeReceivedSource({ past, surroundings }: ReceivedSourceOptions): ReceivedSource {
  const { now, after, calendar } = surroundings;
  const fusion = datedFusion(makeFusion({ asServed: asStored, notBefore: now() }), calendar);

  let unwritten = 0;
  let lostAt: UpstreamInstant | undefined;

  function noteLoss(): void {
    const dropped = past.state?.().dropped.unwritten ?? 0;
    if (dropped > unwritten) lostAt = now();
    unwritten = dropped;
  }

  function record(settled: readonly Observation[]): void {
    if (settled.length > 0) past.append(settled);
  }

  const listeners = new Set<(layer: Layer) => void>();
  function announce(settled: readonly Observation[]): void {
    for (const each of LAYERS) {
      if (listeners.size === 0 || !settled.some(({ layer }) => layer === each)) continue;
      for (const listener of listeners) listener(each);
    }
  }

  /** When something became live last. */
  let settledAt: UpstreamInstant | undefined;
  function settle(): void {
    cancel();
    noteLoss();
    const at = now();
    const settled = fusion.settle(at);
    if (settled.length > 0) settledAt = at;
    record(settled);
    announce(settled);
    cancel = after(SETTLE_EVERY_MS, settle);
  }
  let cancel = after(SETTLE_EVERY_MS, settle);

  return {
    deliver(feed, parsed, receivedAt) {
      fusion.add(feed, parsed, receivedAt);
      // What waits for nobody is served at once, unless messages come faster than that.
      if (settledAt === undefined || Math.abs(msBetween(settledAt, now())) >= SETTLE_EVERY_MS) settle();
    },
    onChange: (listener) => void listeners.add(listener),
    feedState: fusion.feedState,
    live: fusion.live,
    history: (layer, bbox, window, maxCount) => past.history(layer, bbox, window, maxCount),
    historyTimes: (layer, bbox, window, maxCount) => past.historyTimes(layer, bbox, window, maxCount),
    keptSince: () => past.keptSince(),
    home: () => boxOfMost(LAYERS.flatMap((layer) => fusion.live(layer, WORLD, calendar.wallOf(now())))),
    async written() {
      await new Promise<void>((resolve) => void after(HOLD_MS + 2 * SETTLE_EVERY_MS, resolve));
      await past.flush?.();
      noteLoss();
      return lostAt === undefined || msBetween(lostAt, now()) > FINAL_AFTER_MS;
    },
    stop() {
      cancel();
      record(fusion.drain(now()));
    },
  };
}
