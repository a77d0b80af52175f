import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';

/** After such a gap the machine may have restarted, with an old file. */
const GAP_MAX_MS = 30 * SECOND_MS;

/** Whether the answers of one address change, which those of a dead receiver do not. */
export class AnswerChanges {
  #last: Uint8Array | undefined;
  #lastAt: UpstreamInstant | undefined;
  #writtenAt = '';
  #isWrittenFalse = false;

  /**
   * @param writtenAt when it says that it was written, in any form
   * @returns whether this is the last answer again, the first one in a while, or another one
   */
  next(body: Uint8Array, writtenAt: string, at: UpstreamInstant): 'same' | 'first' | 'other' {
    const isFirst = this.#lastAt === undefined || Math.abs(msBetween(this.#lastAt, at)) > GAP_MAX_MS;
    const isSame = this.#last !== undefined && Buffer.compare(this.#last, body) === 0;
    if (this.#last !== undefined && !isSame) this.#isWrittenFalse = writtenAt === this.#writtenAt;
    this.#last = body;
    this.#lastAt = at;
    this.#writtenAt = writtenAt;
    if (isSame) return 'same';
    return isFirst ? 'first' : 'other';
  }

  /** What it last said of when it was written is what it had said of another answer, so it means nothing. */
  get isWrittenFalse(): boolean {
    return this.#isWrittenFalse;
  }
}
