import { LAYERS, type Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { epochMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { Past } from '../past/past.ts';
import { asStored } from '../past/stored-observation.ts';
import type { Observation, Source } from '../sources/observation.ts';
import type { Calendar, Surroundings } from './feeds/feed.ts';
import type { FeedDelivery, Fix } from './fix.ts';
import type { FeedState, FeedTraits } from './fusion/fused-feed.ts';
import { FINAL_AFTER_MS, type Fusion, HOLD_MS, makeFusion } from './fusion/fusion.ts';
import { liveObservation } from './fusion/served-observation.ts';
import { withoutDoubles } from './fusion/without-doubles.ts';
import { boxOfMost } from './home-view.ts';

export interface ReceivedSource extends Source {
  deliver(feed: FeedTraits, delivery: FeedDelivery, receivedAt: UpstreamInstant): void;
  feedState(id: string): FeedState | undefined;
  /**
   * The box around most positions; it may cross 180°. It reveals a receiver's place only as far as its positions do.
   */
  home(): Bbox | undefined;
  /**
   * False if earlier deliveries were not written, also for as long as stations may repeat them: a repeated fix is not
   * written again, so it would seem written.
   */
  written(): Promise<boolean>;
  /** Settles and records what waits. The past stays open: its opener closes it. */
  stop(): void;
}

export interface ReceivedSourceOptions {
  readonly past: Pick<Past, 'append' | 'history' | 'historyTimes' | 'keptSince'> &
    Partial<Pick<Past, 'flush' | 'state' | 'oldestAt'>>;
  readonly surroundings: Surroundings;
}

const SETTLE_EVERY_MS = 100;
const WORLD: Bbox = { west: -180, south: -90, east: 180, north: 90 };

/**
 * The positions of receivers as a source: deliveries are fused, settled observations are recorded in the past and
 * announced. Fusion stays on the steady clock, and everything that leaves has wall-clock times.
 */
export function makeReceivedSource({ past, surroundings }: ReceivedSourceOptions): ReceivedSource {
  const { now, after, calendar } = surroundings;
  const fusion = datedFusion(withoutDoubles(makeFusion({ asServed: asStored, notBefore: now() })), calendar);

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
      // It settles at once, unless messages arrive faster than that.
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

/** Takes feeds' wall-clock times to the steady clock for fusion, and its results back. */
function datedFusion(fusion: Fusion, calendar: Calendar): Fusion {
  const { wallOf, steadyOf } = calendar;
  const steady = makeSteadyStamps(calendar, fusion.forgetClocks);
  const dated = (observation: Observation): Observation => {
    const observedAt = wallOf(observation.observedAt);
    return observedAt === observation.observedAt ? observation : { ...observation, observedAt };
  };
  return {
    ...fusion,
    add: (feed, parsed, receivedAt) => fusion.add(feed, steady(parsed, receivedAt), receivedAt),
    settle: (now) => fusion.settle(now).map(dated),
    drain: (now) => fusion.drain(now).map(dated),
    live(layer, bbox, now) {
      const found: Observation[] = [];
      const steadyNow = steadyOf(now);
      for (const observation of fusion.live(layer, bbox, steadyNow)) {
        const shown = dated(observation);
        const live = steadyNow === now && shown === observation ? shown : liveObservation(shown, bbox, epochMs(now));
        if (live) found.push(live);
      }
      return found;
    },
  };
}

/** A clock that was set by less is not noticed: estimates of a feed's clock ignore such differences. */
const SET_BY_MS = 500;

/**
 * Feeds' wall-clock times come from a right clock, or from this machine's, which a local receiver shares.
 * @param onSet earlier comparisons with feeds' clocks are void
 */
function makeSteadyStamps(
  { wallOf, steadyOf }: Calendar,
  onSet: () => void,
): (delivery: FeedDelivery, receivedAt: UpstreamInstant) => FeedDelivery {
  let knownMs: number | undefined;
  const steadyMs = (stampMs: number) => epochMs(steadyOf(upstreamInstant(stampMs)));
  const steadyFix = (fix: Fix): Fix => ({
    ...fix,
    feedTimeMs: fix.feedTimeMs === undefined ? undefined : steadyMs(fix.feedTimeMs),
    trackTimeMs: fix.trackTimeMs === undefined ? undefined : steadyMs(fix.trackTimeMs),
  });

  return (delivery, receivedAt) => {
    const aheadMs = msBetween(receivedAt, wallOf(receivedAt));
    if (Math.abs(aheadMs - (knownMs ?? aheadMs)) > SET_BY_MS) onSet();
    knownMs = aheadMs;
    if (aheadMs === 0) return delivery;
    const { fixes, feedClockMs } = delivery;
    return {
      ...delivery,
      fixes: fixes.map(steadyFix),
      feedClockMs: feedClockMs === undefined ? undefined : steadyMs(feedClockMs),
    };
  };
}
