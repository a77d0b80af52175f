import { SECOND_MS } from '#lib/time/time-units.ts';
import { type Fix, POSITION_ORIGINS } from '../fix.ts';
import type { FusedFeed } from './fused-feed.ts';
import type { TimedFix } from './gate.ts';

/** Places that differ by less are one: formats round to five decimals. */
const SAME_PLACE_DEG = 1.001e-5;
/** Two stations may date one fix this far apart. */
const SAME_FIX_MS = 2 * SECOND_MS;
/** A station may round an aircraft's age to 0.1 s. A drone repeats a position for about a second. */
const REPEATED_MS = { adsb: 0.4 * SECOND_MS, rid: 0.9 * SECOND_MS };

/** One fix of a track, which several feeds may have sent. */
export class SharedFix implements TimedFix {
  /** The earliest time of the feeds, ms since 1970 on our clock. */
  observedMs: number;
  slackMs: number;
  /** Until then, other stations may join. */
  readonly dueMs: number;
  readonly feeds: FusedFeed[];
  #isSettled = false;
  #isAlone = false;
  readonly #fixes: Fix[];
  #merged: Fix | undefined;

  constructor(feed: FusedFeed, fix: Fix, observedMs: number, slackMs: number, dueMs: number) {
    this.feeds = [feed];
    this.#fixes = [fix];
    this.observedMs = observedMs;
    this.slackMs = slackMs;
    this.dueMs = dueMs;
  }

  /** The best of its fixes, completed by values of the others. */
  get fix(): Fix {
    this.#merged ??= this.#fixes.length === 1 ? this.#fixes[0]! : mergeFixes(this.feeds, this.#fixes);
    return this.#merged;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** No feed may join it any more. */
  settle(): void {
    this.#isSettled = true;
  }

  isSame(feed: FusedFeed, fix: Fix, observedMs: number): boolean {
    const own = this.#fixes[0]!;
    if (!isSamePlace(own, fix)) return false;
    // Fixes are repeated, so the track's own time counts more than reception.
    if (own.trackTimeMs !== undefined && fix.trackTimeMs !== undefined) return own.trackTimeMs === fix.trackTimeMs;
    const apartMs = Math.abs(this.observedMs - observedMs);
    return apartMs <= (this.feeds.includes(feed) ? REPEATED_MS[fix.layer] : SAME_FIX_MS);
  }

  countAlone(): void {
    this.#isAlone = true;
    this.feeds[0]!.countAlone(1);
  }

  /** Call it when another station sent the fix after it was served. */
  uncountAlone(): void {
    if (this.#isAlone) this.feeds[0]!.countAlone(-1);
    this.#isAlone = false;
  }

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

export function isRepetition(last: Fix, lastMs: number, fix: Fix, observedMs: number): boolean {
  if (!isSamePlace(last, fix)) return false;
  if (last.trackTimeMs !== undefined && fix.trackTimeMs !== undefined) return last.trackTimeMs === fix.trackTimeMs;
  // An abandoned file's positions look newer at each reading, but not on the feed's own clock.
  if (last.feedTimeMs !== undefined && fix.feedTimeMs !== undefined) {
    return Math.abs(fix.feedTimeMs - last.feedTimeMs) < REPEATED_MS[fix.layer];
  }
  return Math.abs(observedMs - lastMs) < REPEATED_MS[fix.layer];
}

/** The rank of a fix's origin; 0 is best. */
export function originRank({ origin }: Fix): number {
  return POSITION_ORIGINS.indexOf(origin);
}

/** Merges the fixes of several feeds: the result does not depend on their order. */
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

/** The first emergency that any station reports, even if another station missed it. */
function emergencyOf(states: readonly (string | null)[]): string | undefined {
  return states.find((state) => state !== null && state !== 'none' && state !== 'unknown') ?? undefined;
}
