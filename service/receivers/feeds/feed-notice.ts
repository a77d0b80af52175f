import { formatInstant, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { CountedParsed, RefusalCause } from '../fix.ts';
import type { FeedWords } from './feed-kind.ts';
import { isGzip } from './transports/http-exchange.ts';

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

/** Says what is wrong with a connected feed: another format, no positions, or answers that are late. */
export class FeedNotice {
  #unreadable = 0;
  #positionless = 0;
  #last: string | Uint8Array = '';
  #clockMs: number | undefined;
  #changedAt: UpstreamInstant | undefined;
  #isPolled = false;
  readonly #words: FeedWords;
  /** Causes of refusals since the last position. */
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

const HEAD_BYTES = 64 * 1024;

/** Completes "the feed is connected, but …" for a message in another format. */
function describeAnswer(message: string | Uint8Array, words: FeedWords): string {
  return describeBytes(message) ?? describeText(headOf(message), words);
}

function describeBytes(message: string | Uint8Array): string | undefined {
  if (message.length === 0) return 'its answer is empty';
  if (typeof message === 'string') return undefined;
  if (isGzip(message)) return 'it sends gzip that cannot be unpacked';
  if (isBeast(message)) return 'it sends Beast, which is not read: take another port of the receiver';
  if (isTls(message)) return 'it speaks TLS, which is not read there: take its port without TLS';
  if (message.subarray(0, HEAD_BYTES).includes(0)) return 'it sends bytes that are not text: compressed, or a picture';
  return undefined;
}

/** Whether it has Beast's escape and the type of a message. Lines begin anywhere in a message. */
function isBeast(message: string | Uint8Array): boolean {
  if (typeof message === 'string') return false;
  const at = message.indexOf(0x1a);
  const type = at === -1 ? undefined : message[at + 1];
  return at === 0 || (type !== undefined && type >= 0x31 && type <= 0x34);
}

/** A server with TLS answers text with such an alert. */
function isTls(message: Uint8Array): boolean {
  return message[0] === 0x15 && message[1] === 3;
}

function describeText(text: string, words: FeedWords): string {
  if (/^\s*$/.test(text)) return 'its answer is empty';
  if (/^\s*</.test(text)) return describePage(text, words);
  if (/^\s*[[{]/.test(text)) return words.json(text);
  if (/^\s*(MSG|SEL|ID|AIR|STA|CLK),/.test(text)) return words.sbs;
  if (/^\s*[*@][0-9A-Fa-f]{14,}/.test(text)) return 'it sends raw messages (AVR), which are not read';
  if (/^\s*[-+][0-9A-Fa-f]{20,}/.test(text))
    return 'it sends raw messages of UAT, which are not read: take the JSON port';
  if (/^HTTP\/\d/.test(text)) return 'a web server answers there: write http:// before its address';
  if (text.includes('\uFFFD')) return 'it sends bytes that are not text: compressed, or a picture';
  return `it sends text that is not ${words.expected === 'SBS lines' ? 'SBS lines' : 'JSON'}`;
}

function describePage(text: string, { expected }: FeedWords): string {
  if (/type\s*=\s*["']?password/i.test(text)) return 'it answers with a sign-in page';
  if (/^\s*<\?xml(?![\s\S]*<html)/i.test(text)) return `it answers with XML, not with ${expected}`;
  return `it answers with a web page, not with ${expected}`;
}

function headOf(message: string | Uint8Array): string {
  return typeof message === 'string'
    ? message.slice(0, HEAD_BYTES)
    : new TextDecoder().decode(message.subarray(0, HEAD_BYTES));
}
