import { formatInstant, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { CountedParsed, RefusalCause } from '../fix.ts';
import { describeAnswer, isBeast } from './describe-answer.ts';
import type { FeedWords } from './feed-words.ts';

/** A single answer may be cut, or come from a program that is starting. */
const UNREADABLE_MAX = 3;
/** Lines between two positions of a busy receiver are more, and of a quiet one slower. */
const POSITIONLESS_MAX = 10;
const POSITIONLESS_MS = 15 * SECOND_MS;
/** Older causes count half as much each time. */
const CAUSES_MAX = 200;
/** Receivers write every second, but a proxy may cache answers for a while. */
const UNCHANGED_MAX_MS = 10 * SECOND_MS;
const LATE_MS = MINUTE_MS;

type Outcome = Pick<CountedParsed, 'fixes' | 'feedClockMs' | 'refused'>;

export class FeedNotice {
  #unreadable = 0;
  #positionless = 0;
  #last: string | Uint8Array = '';
  #clockMs: number | undefined;
  #changedAt: UpstreamInstant | undefined;
  #isPolled = false;
  readonly #words: FeedWords;
  /** Since the last position. */
  readonly #causes = new Map<RefusalCause, number>();
  #positionlessAt: UpstreamInstant | undefined;

  constructor(words: FeedWords) {
    this.#words = words;
  }

  note(message: string | Uint8Array, outcome: Outcome, isRead: boolean, at: UpstreamInstant): void {
    const { fixes, feedClockMs, refused } = outcome;
    // Lines of Beast look like other bytes without its escape.
    if (this.#unreadable === 0 || isRead || !isBeast(this.#last)) this.#last = message;
    this.#unreadable = isRead ? 0 : this.#unreadable + 1;
    this.#positionless = fixes.length > 0 || !isRead ? 0 : this.#positionless + 1;
    if (this.#positionless === 0) this.#causes.clear();
    else this.#addCauses(refused);
    if (this.#positionless === 1) this.#positionlessAt = at;
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
    if (this.#unreadable >= UNREADABLE_MAX) return describeAnswer(this.#last, this.#words);
    const cause = this.#positionlessText(now);
    if (cause !== undefined) return cause;
    return this.#isPolled && this.#unreadable === 0 ? this.#lateText(now) : undefined;
  }

  #addCauses(refused: Outcome['refused']): void {
    let all = 0;
    for (const [name, count] of Object.entries(refused)) {
      const cause = name as RefusalCause;
      this.#causes.set(cause, (this.#causes.get(cause) ?? 0) + count);
    }
    for (const count of this.#causes.values()) all += count;
    if (all <= CAUSES_MAX) return;
    for (const [cause, count] of this.#causes) this.#causes.set(cause, count / 2);
  }

  #positionlessText(now: UpstreamInstant): string | undefined {
    const since = this.#positionlessAt;
    if (this.#positionless < POSITIONLESS_MAX || since === undefined || msBetween(since, now) < POSITIONLESS_MS)
      return undefined;
    const [most, ...others] = [...this.#causes].toSorted(([, one], [, next]) => next - one);
    if (!most) return this.#words.without.nothing;
    const words = this.#words.without[most[0]];
    return words !== undefined && others.length > 0 ? `mostly: ${words}` : words;
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
