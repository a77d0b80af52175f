import { formatInstant, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Parsed } from '../fix.ts';
import { describeAnswer, describeRows } from './describe-answer.ts';

/** A single answer may be cut, or come from a program that is starting. */
const UNREADABLE_MAX = 3;
const POSITIONLESS_MAX = 10;
/** Receivers write every second, but a proxy may cache answers for a while. */
const UNCHANGED_MAX_MS = 10 * SECOND_MS;
const LATE_MS = MINUTE_MS;

type Outcome = Pick<Parsed, 'fixes' | 'feedClockMs'>;

export class FeedNotice {
  #unreadable = 0;
  #positionless = 0;
  #last: string | Uint8Array = '';
  #clockMs: number | undefined;
  #changedAt: UpstreamInstant | undefined;
  #isPolled = false;

  note(message: string | Uint8Array, { fixes, feedClockMs }: Outcome, isRead: boolean, at: UpstreamInstant): void {
    this.#last = message;
    this.#unreadable = isRead ? 0 : this.#unreadable + 1;
    this.#positionless = fixes.length > 0 || !isRead ? 0 : this.#positionless + 1;
    if (feedClockMs === undefined || feedClockMs === this.#clockMs) return;
    this.#clockMs = feedClockMs;
    this.#changedAt = at;
  }

  polled(): void {
    this.#isPolled = true;
  }

  repeated(): void {
    this.polled();
    if (this.#unreadable > 0) this.#unreadable += 1;
  }

  text(now: UpstreamInstant): string | undefined {
    if (this.#unreadable >= UNREADABLE_MAX) return describeAnswer(this.#last);
    if (this.#positionless >= POSITIONLESS_MAX) return describeRows(this.#last);
    return this.#isPolled && this.#unreadable === 0 ? this.#lateText(now) : undefined;
  }

  #lateText(now: UpstreamInstant): string | undefined {
    if (this.#clockMs === undefined || this.#changedAt === undefined) return undefined;
    const unchangedMs = msBetween(this.#changedAt, now);
    const writtenAt = upstreamInstant(this.#clockMs);
    const isLate = unchangedMs >= LATE_MS || msBetween(writtenAt, now) >= LATE_MS;
    if (unchangedMs < UNCHANGED_MAX_MS || !isLate) return undefined;
    return `its answer is late: by its clock it was written at ${formatInstant(writtenAt)}, and it does not change`;
  }
}
