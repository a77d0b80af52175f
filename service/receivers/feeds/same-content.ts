import { hash } from 'node:crypto';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';

/** The head has the time, the message count and the first aircraft. */
const HEAD_BYTES = 16 * 1024;
const RECENT_MS = 10 * SECOND_MS;
/** Answers kept of a feed. Another feed may see an answer some seconds later. */
const KEPT = 20;

/** How many of the last answers must equal the other feed's. */
interface Evidence {
  readonly of: number;
  readonly equal: number;
  readonly stillEqual: number;
}

/** Signal strengths and message counts differ at any two stations. Each feed may miss one or two of the answers. */
const ANYWHERE: Evidence = { of: 11, equal: 9, stillEqual: 5 };
/** Without signal strengths, two small stations with one aircraft may agree by chance. */
const ANYWHERE_UNMARKED: Evidence = { of: 16, equal: 15, stillEqual: 8 };
/** At one path of one server, which renders each answer again, everything but the time is equal. */
const ONE_SERVER: Evidence = { of: 4, equal: 3, stillEqual: 2 };

interface Answers {
  readonly whole: string[];
  readonly timeless: string[];
  lastMs: number;
  instead: number | undefined;
}

/** Finds one station at two addresses by its answers, so that it does not count twice. */
export class SameContent {
  readonly #feeds = new Map<number, Answers>();

  /**
   * @param feed the lower of two equal feeds counts
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
