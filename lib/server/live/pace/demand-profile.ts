import 'server-only';
import { nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { epochMs, isSetBack, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';

export const HOURS = 24;
/** Weight of the latest day: an hour is seen once a day, so a habit is learnt or forgotten within about a week. */
const LATEST_WEIGHT = 0.25;
/** Two records further apart than this leave a gap (a restart): the time between them is ignored. */
const GAP_MAX_MS = 300_000;
/** Even a wrong profile must leave something for the evening: at least this share of the rest of the day is expected. */
const EXPECTED_MIN = 0.25;

/** For each hour of the UTC day, the share of it that had viewers: averaged over days, newer days weighing more. */
export class DemandProfile {
  readonly #parts: number[];
  #hour: { readonly number: number; viewedMs: number; seenMs: number } | undefined;
  #last: { readonly at: UpstreamInstant; readonly viewed: boolean } | undefined;

  /**
   * @param saved from `saved()`. If it is not 24 numbers from 0 to 1, every hour starts as fully viewed. Refreshes then spend
   *   too little at first, but never too much.
   */
  constructor(saved?: readonly number[]) {
    this.#parts = saved && isProfile(saved) ? [...saved] : Array.from({ length: HOURS }, () => 1);
  }

  /** Records whether there are viewers from `now` on. To be called at least every five minutes; ignores earlier times. */
  record(now: UpstreamInstant, viewed: boolean): void {
    const last = this.#last;
    if (last && now < last.at && !isSetBack(last.at, now)) return;
    if (last && now >= last.at && msBetween(last.at, now) <= GAP_MAX_MS) this.#pass(last.at, now, last.viewed);
    this.#last = { at: now, viewed };
  }

  /** Seconds until midnight UTC in which viewers are expected, given that there are some now; more than 0. */
  expectedSeconds(now: UpstreamInstant): number {
    const midnight = nextUtcMidnight(now);
    const hour = hourNumber(epochMs(now));
    const hourEnds = (hour + 1) * HOUR_MS;
    let expectedMs = hourEnds - epochMs(now);
    for (let next = (hour % HOURS) + 1; next < HOURS; next++) expectedMs += (this.#parts[next] ?? 1) * HOUR_MS;
    return Math.max(expectedMs, EXPECTED_MIN * msBetween(now, midnight)) / 1000;
  }

  /** Goes on from what another server learnt. @param saved from `saved()`; anything but 24 numbers from 0 to 1 changes nothing */
  adopt(saved: readonly number[]): void {
    if (isProfile(saved)) this.#parts.splice(0, HOURS, ...saved);
  }

  /** The shares of the 24 hours, midnight UTC first. The current hour is not included. */
  saved(): readonly number[] {
    return [...this.#parts];
  }

  #pass(from: UpstreamInstant, until: UpstreamInstant, viewed: boolean): void {
    let at = epochMs(from);
    const endMs = epochMs(until);
    while (at < endMs) {
      const hour = hourNumber(at);
      const end = Math.min(endMs, (hour + 1) * HOUR_MS);
      if (this.#hour?.number !== hour) {
        this.#learn();
        this.#hour = { number: hour, viewedMs: 0, seenMs: 0 };
      }
      this.#hour.seenMs += end - at;
      if (viewed) this.#hour.viewedMs += end - at;
      at = end;
      if (at % HOUR_MS === 0) this.#learn();
    }
  }

  /** A partly recorded hour has proportionally less weight. */
  #learn(): void {
    const hour = this.#hour;
    if (!hour) return;
    const index = hour.number % HOURS;
    const before = this.#parts[index] ?? 1;
    const weight = LATEST_WEIGHT * (hour.seenMs / HOUR_MS);
    this.#parts[index] = before + weight * (hour.viewedMs / hour.seenMs - before);
    this.#hour = undefined;
  }
}

function isProfile(saved: readonly number[]): boolean {
  return saved.length === HOURS && saved.every((part) => part >= 0 && part <= 1);
}

/** Hours since 1970. */
function hourNumber(ms: number): number {
  return Math.floor(ms / HOUR_MS);
}
