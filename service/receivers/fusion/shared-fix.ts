import { SECOND_MS } from '#lib/time/time-units.ts';
import { type Fix, POSITION_ORIGINS } from '../fix.ts';
import type { FusedFeed } from './fused-feed.ts';
import type { TimedFix } from './gate.ts';

/** Positions closer than this in each coordinate are the same: a format that rounds to five decimals is still one. */
const SAME_PLACE_DEG = 1.001e-5;
/** How far apart two stations may say that they received one fix. */
const SAME_FIX_MS = 2 * SECOND_MS;
/**
 * One station does not hear an aircraft's fix twice, but may round its age to a tenth of a second. A drone repeats its
 * position until it has the next one, about once a second.
 */
const REPEATED_MS = { adsb: 0.4 * SECOND_MS, rid: 0.9 * SECOND_MS };

/** One fix of a track, with all feeds that received it. */
export class SharedFix implements TimedFix {
  /** The earliest time that one of the feeds gives, ms since 1970 on our clock. */
  observedMs: number;
  slackMs: number;
  /** Until when other stations may still join. */
  readonly dueMs: number;
  readonly feeds: FusedFeed[];
  isSettled = false;
  readonly #fixes: Fix[];
  #merged: Fix | undefined;

  constructor(feed: FusedFeed, fix: Fix, observedMs: number, slackMs: number, dueMs: number) {
    this.feeds = [feed];
    this.#fixes = [fix];
    this.observedMs = observedMs;
    this.slackMs = slackMs;
    this.dueMs = dueMs;
  }

  /** The best of the fixes, with what others have and it has not. */
  get fix(): Fix {
    this.#merged ??= this.#fixes.length === 1 ? this.#fixes[0]! : mergeFixes(this.feeds, this.#fixes);
    return this.#merged;
  }

  /** Whether what the feed received is this fix. */
  isSame(feed: FusedFeed, fix: Fix, observedMs: number): boolean {
    const own = this.#fixes[0]!;
    if (!isSamePlace(own, fix)) return false;
    // The track's own time counts more than when it was heard: a fix is repeated until there is a new one.
    if (own.trackTimeMs !== undefined && fix.trackTimeMs !== undefined) return own.trackTimeMs === fix.trackTimeMs;
    const apartMs = Math.abs(this.observedMs - observedMs);
    return apartMs <= (this.feeds.includes(feed) ? REPEATED_MS[fix.layer] : SAME_FIX_MS);
  }

  /** Adds what another feed received. */
  join(feed: FusedFeed, fix: Fix, observedMs: number, slackMs: number): void {
    if (observedMs < this.observedMs) {
      this.observedMs = observedMs;
      this.slackMs = slackMs;
    }
    this.feeds.push(feed);
    this.#fixes.push(fix);
    this.#merged = undefined;
  }
}

function isSamePlace(a: Fix, b: Fix): boolean {
  if (Math.abs(a.lat - b.lat) > SAME_PLACE_DEG) return false;
  const apartDeg = Math.abs(a.lon - b.lon);
  return apartDeg <= SAME_PLACE_DEG || apartDeg >= 360 - SAME_PLACE_DEG;
}

/** Whether a station has sent the last fix of a track once more. */
export function isRepetition(last: Fix, lastMs: number, fix: Fix, observedMs: number): boolean {
  if (!isSamePlace(last, fix)) return false;
  if (last.trackTimeMs !== undefined && fix.trackTimeMs !== undefined) return last.trackTimeMs === fix.trackTimeMs;
  // On the feed's own clock where it has one: a file that nobody writes any more gets older as it is read.
  if (last.feedTimeMs !== undefined && fix.feedTimeMs !== undefined) {
    return Math.abs(fix.feedTimeMs - last.feedTimeMs) < REPEATED_MS[fix.layer];
  }
  return Math.abs(observedMs - lastMs) < REPEATED_MS[fix.layer];
}

/** How good the origin of a fix is: 0 is best. */
export function originRank({ origin }: Fix): number {
  return POSITION_ORIGINS.indexOf(origin);
}

/** The order does not depend on which feed came first. */
function mergeFixes(feeds: readonly FusedFeed[], fixes: readonly Fix[]): Fix {
  const order = fixes
    .map((_, index) => index)
    .sort((a, b) => {
      const [one, other] = [fixes[a]!, fixes[b]!];
      return (
        originRank(one) - originRank(other) ||
        (one.accuracyM ?? Infinity) - (other.accuracyM ?? Infinity) ||
        (feeds[a]!.id < feeds[b]!.id ? -1 : 1)
      );
    });
  const best = fixes[order[0]!]!;
  const first = <Name extends keyof Fix>(name: Name): Fix[Name] => {
    for (const index of order) {
      const value = fixes[index]![name];
      if (value !== null && value !== undefined) return value;
    }
    return best[name];
  };
  return {
    ...best,
    trackTimeMs: first('trackTimeMs'),
    altitudeM: first('altitudeM'),
    heightAglM: first('heightAglM'),
    speedMps: first('speedMps'),
    headingDeg: first('headingDeg'),
    accuracyM: first('accuracyM'),
    emergencyState: emergencyOf(order.map((index) => fixes[index]!.emergencyState)) ?? first('emergencyState'),
    testBroadcast: fixes.some(({ testBroadcast }) => testBroadcast),
  };
}

/** An emergency that any of the stations heard is not hidden by one that has not. */
function emergencyOf(states: readonly (string | null)[]): string | undefined {
  return states.find((state) => state !== null && state !== 'none' && state !== 'unknown') ?? undefined;
}
