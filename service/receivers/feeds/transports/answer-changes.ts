import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';

/** After a longer gap the machine may have restarted with an old file. */
const GAP_MAX_MS = 30 * SECOND_MS;

/** Whether the answers of an address change. Those of a dead receiver don't. */
export class AnswerChanges {
  #last: Uint8Array | undefined;
  #lastAt: UpstreamInstant | undefined;
  #writtenAt = '';
  #isWrittenFalse = false;

  /**
   * @param writtenAt when it claims to have been written, in any form
   * @returns whether this repeats the last answer, is the first one after a gap, or is another one
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

  /** Two different answers claimed the same time of writing, so these times are meaningless. */
  get isWrittenFalse(): boolean {
    return this.#isWrittenFalse;
  }
}
