import 'server-only';
import { nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { epochMs, isSetBack, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';

export const HOURS = 24;
/** A habit is learnt or forgotten within about a week. */
const LATEST_WEIGHT = 0.25;
/** Longer gaps (a restart) are ignored. */
const GAP_MAX_MS = 300_000;
/** Of the rest of the day: even a wrong profile must leave something for the evening. */
const EXPECTED_MIN = 0.25;

/** By hour of the UTC day; newer days weigh more. */
export class DemandProfile {
  readonly #parts: number[];
  #hour: { readonly number: number; viewedMs: number; seenMs: number } | undefined;
  #last: { readonly at: UpstreamInstant; readonly viewed: boolean } | undefined;

  /** @param saved if invalid, all hours count as viewed: refreshes never spend too much */
  constructor(saved?: readonly number[]) {
    this.#parts = saved && isProfile(saved) ? [...saved] : Array.from({ length: HOURS }, () => 1);
  }

  /** To be called at least every five minutes; ignores earlier times. */
  record(now: UpstreamInstant, viewed: boolean): void {
    const last = this.#last;
    if (last && now < last.at && !isSetBack(last.at, now)) return;
    if (last && now >= last.at && msBetween(last.at, now) <= GAP_MAX_MS) this.#pass(last.at, now, last.viewed);
    this.#last = { at: now, viewed };
  }

  /** Until midnight UTC, given viewers now; more than 0. */
  expectedSeconds(now: UpstreamInstant): number {
    const midnight = nextUtcMidnight(now);
    const hour = hourNumber(epochMs(now));
    const hourEnds = (hour + 1) * HOUR_MS;
    let expectedMs = hourEnds - epochMs(now);
    for (let next = (hour % HOURS) + 1; next < HOURS; next++) expectedMs += (this.#parts[next] ?? 1) * HOUR_MS;
    return Math.max(expectedMs, EXPECTED_MIN * msBetween(now, midnight)) / 1000;
  }

  /** @param saved ignored unless it is 24 numbers from 0 to 1 */
  adopt(saved: readonly number[]): void {
    if (isProfile(saved)) this.#parts.splice(0, HOURS, ...saved);
  }

  /** Midnight UTC first, without the current hour. */
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

  /** A partly recorded hour weighs less. */
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

/** Since 1970. */
function hourNumber(ms: number): number {
  return Math.floor(ms / HOUR_MS);
}
