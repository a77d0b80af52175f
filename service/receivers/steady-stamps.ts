import { epochMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { Calendar } from './feeds/feed.ts';
import type { Delivery, Fix } from './fix.ts';

/** Estimates of a feed's clock ignore smaller differences. */
const SET_BY_MS = 500;

/**
 * Feeds' wall-clock times come from a right clock, or from this machine's, which a local receiver shares.
 * @param onSet earlier comparisons with feeds' clocks are void
 */
export function makeSteadyStamps(
  { wallOf, steadyOf }: Calendar,
  onSet: () => void,
): (delivery: Delivery, receivedAt: UpstreamInstant) => Delivery {
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
