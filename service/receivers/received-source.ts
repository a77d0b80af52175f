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

export interface ReceivedSource extends Source {
  deliver(feed: FeedTraits, delivery: Delivery, receivedAt: UpstreamInstant): void;
  feedState(id: string): FeedState | undefined;
  /** Around most positions, may cross 180°. It reveals a receiver's place only as far as its positions do. */
  home(): Bbox | undefined;
  /**
   * False if earlier deliveries were not written, also for as long as stations may repeat them: a repeated fix is not
   * written again, so it would seem written.
   */
  written(): Promise<boolean>;
  /** The past's opener closes it. */
  stop(): void;
}

export interface ReceivedSourceOptions {
  readonly past: Pick<Past, 'append' | 'history' | 'historyTimes' | 'keptSince'> &
    Partial<Pick<Past, 'flush' | 'state' | 'oldestAt'>>;
  readonly surroundings: Surroundings;
}

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
      // At once, unless messages arrive faster than that.
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
