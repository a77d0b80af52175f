import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';

/** After a longer gap the machine may have restarted with an old file. */
const GAP_MAX_MS = 30 * SECOND_MS;

export class AnswerChanges {
  #last: Uint8Array | undefined;
  #lastAt: UpstreamInstant | undefined;
  #writtenAt = '';
  #isWrittenFalse = false;

  /**
   * @param writtenAt in any form
   * @returns `first` also after a gap
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

  /** Two different answers claimed one time, so these times mean nothing. */
  get isWrittenFalse(): boolean {
    return this.#isWrittenFalse;
  }
}
