import { hash } from 'node:crypto';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';

/** An answer's head has its time, the count of messages, and the first aircraft. */
const HEAD_BYTES = 16 * 1024;
/** A feed without answers for this long is ignored. */
const RECENT_MS = 10 * SECOND_MS;
/** Remembered answers per feed. Another feed may see them some seconds later. */
const KEPT = 20;

/** How many of a feed's last answers must equal answers of the other feed. */
interface Evidence {
  readonly of: number;
  readonly equal: number;
  /** Needed while they already count as one station. */
  readonly stillEqual: number;
}

/**
 * Bytes with an aircraft's signal strength and message count, which no two stations share. Feeds read once a second what is written once a
 * second, so each may miss one or two answers.
 */
const ANYWHERE: Evidence = { of: 11, equal: 9, stillEqual: 5 };
/** Bytes without signal strengths: two small stations that hear one aircraft may agree by chance, to the millisecond. */
const ANYWHERE_UNMARKED: Evidence = { of: 16, equal: 15, stillEqual: 8 };
/** Everything but the time, from one address and path of one server. Some servers render each answer again. */
const ONE_SERVER: Evidence = { of: 4, equal: 3, stillEqual: 2 };

interface Answers {
  readonly whole: string[];
  readonly timeless: string[];
  lastMs: number;
  /** The feed that counts in its place. */
  instead: number | undefined;
}

/**
 * Finds feeds with the same answers at two addresses, so that one station does not count twice. They count separately again when their
 * answers differ.
 */
export class SameContent {
  readonly #feeds = new Map<number, Answers>();

  /**
   * An answer with positions.
   * @param feed of two equal feeds, the lower number counts
   * @param server as in `AnswerFacts`
   */
  note(feed: number, answer: Uint8Array, server: string, at: UpstreamInstant): void {
    const answers = this.#feeds.get(feed) ?? { whole: [], timeless: [], lastMs: 0, instead: undefined };
    this.#feeds.set(feed, answers);
    answers.lastMs = epochMs(at);
    const head = Buffer.from(answer.buffer, answer.byteOffset, Math.min(answer.length, HEAD_BYTES)).toString('latin1');
    const anywhere = /"rssi"\s*:/.test(head) ? ANYWHERE : ANYWHERE_UNMARKED;
    keep(answers.whole, `${answer.length} ${hash('sha1', head)}`);
    keep(answers.timeless, `${server} ${hash('sha1', head.replace(/"now"\s*:\s*[\d.]+/, ''))}`);
    const before = answers.instead;
    answers.instead = undefined;
    for (const [number, other] of this.#feeds) {
      if (number >= feed || Math.abs(answers.lastMs - other.lastMs) > RECENT_MS) continue;
      const wasSame = number === before;
      if (!isSame(answers.timeless, other.timeless, ONE_SERVER, wasSame)) {
        if (!isSame(answers.whole, other.whole, anywhere, wasSame)) continue;
      }
      answers.instead = number;
      break;
    }
  }

  /** The feed with the same answers that counts in this one's place. */
  countedInstead(feed: number, at: UpstreamInstant): number | undefined {
    const instead = this.#feeds.get(feed)?.instead;
    if (instead === undefined) return undefined;
    const { lastMs } = this.#feeds.get(instead) ?? { lastMs: Number.NEGATIVE_INFINITY };
    return Math.abs(epochMs(at) - lastMs) <= RECENT_MS ? instead : undefined;
  }

  forget(feed: number): void {
    this.#feeds.delete(feed);
  }
}

function keep(digests: string[], digest: string): void {
  digests.push(digest);
  if (digests.length > KEPT) digests.shift();
}

function isSame(digests: readonly string[], others: readonly string[], evidence: Evidence, wasSame: boolean): boolean {
  const equal = digests.slice(-evidence.of).filter((digest) => others.includes(digest)).length;
  return equal >= (wasSame ? evidence.stillEqual : evidence.equal);
}
