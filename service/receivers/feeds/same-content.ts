import { hash } from 'node:crypto';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';

/** The head of an answer has its time, the count of all messages, and the first aircraft. */
const HEAD_BYTES = 16 * 1024;
/** A feed without an answer for so long counts no more. */
const RECENT_MS = 10 * SECOND_MS;
/** How many answers of a feed are remembered. Another feed may see them some seconds later. */
const KEPT = 20;

/** How many of the last answers of a feed have to be among those of the other one. */
interface Evidence {
  readonly of: number;
  readonly equal: number;
  /** Once they are the same station, as many are enough. */
  readonly stillEqual: number;
}

/**
 * Byte for byte, with the strength and the count of messages of an aircraft, which no two stations share. One or two
 * may be seen by one of the feeds only, which each read once a second what is written once a second.
 */
const ANYWHERE: Evidence = { of: 11, equal: 9, stillEqual: 5 };
/** Byte for byte, without strengths: two small stations that hear one aircraft may agree by chance, to the millisecond. */
const ANYWHERE_UNMARKED: Evidence = { of: 16, equal: 15, stillEqual: 8 };
/** All but the time, from one address and path of one server: some servers write an answer anew for each request. */
const ONE_SERVER: Evidence = { of: 4, equal: 3, stillEqual: 2 };

interface Answers {
  readonly whole: string[];
  readonly timeless: string[];
  lastMs: number;
  /** The feed that counts in its place. */
  instead: number | undefined;
}

/**
 * Finds feeds that have the same answers under two addresses, so that one station does not count as two. They are two
 * again once their answers differ.
 */
export class SameContent {
  /** By the number of the feed. */
  readonly #feeds = new Map<number, Answers>();

  /**
   * An answer that has positions.
   * @param feed of two that are one station, the one with the lower number counts
   * @param server as `AnswerFacts` has it
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

  /** The feed that has the same answers as this one and counts in its place; undefined if there is none. */
  countedInstead(feed: number, at: UpstreamInstant): number | undefined {
    const instead = this.#feeds.get(feed)?.instead;
    if (instead === undefined) return undefined;
    const { lastMs } = this.#feeds.get(instead) ?? { lastMs: Number.NEGATIVE_INFINITY };
    return Math.abs(epochMs(at) - lastMs) <= RECENT_MS ? instead : undefined;
  }

  /** The feed has ended. */
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
