import { formatInstant, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Parsed } from '../fix.ts';
import { describeAnswer, describeRows } from './describe-answer.ts';

/** One answer may be cut, or be a page while a program starts. */
const UNREADABLE_MAX = 3;
/** Rows without positions are usual. */
const POSITIONLESS_MAX = 10;
/** Receivers write every second. A proxy may keep their answers for a while. */
const UNCHANGED_MAX_MS = 10 * SECOND_MS;
const LATE_MS = MINUTE_MS;

type Outcome = Pick<Parsed, 'fixes' | 'feedClockMs'>;

/** What is wrong with what a connected feed sends, in a sentence. Holds one message at most. */
export class FeedNotice {
  #unreadable = 0;
  #positionless = 0;
  #last: string | Uint8Array = '';
  #clockMs: number | undefined;
  #changedAt: UpstreamInstant | undefined;
  #isPolled = false;

  /** A message came, and this was read of it. */
  note(message: string | Uint8Array, { fixes, feedClockMs }: Outcome, isRead: boolean, at: UpstreamInstant): void {
    this.#last = message;
    this.#unreadable = isRead ? 0 : this.#unreadable + 1;
    this.#positionless = fixes.length > 0 || !isRead ? 0 : this.#positionless + 1;
    if (feedClockMs === undefined || feedClockMs === this.#clockMs) return;
    this.#clockMs = feedClockMs;
    this.#changedAt = at;
  }

  /** The feed is polled: its answers change as long as it lives. */
  polled(): void {
    this.#isPolled = true;
  }

  /** The last answer of a poll came again. */
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
