import { changesText, type HeardPicture, isUrgent } from './changes-text.ts';

/** A listener needs that long for a sentence; what went wrong does not wait any longer. */
const URGENT_PACE_MS = 5000;

/** Says what changed since it last spoke, no faster than one can listen. */
export class PacedChanges {
  #said: HeardPicture | undefined;
  #saidAtMs = Number.NEGATIVE_INFINITY;

  /**
   * @param atMs on a clock that never jumps
   * @returns what is to be said now; `undefined` for nothing
   */
  next(picture: HeardPicture, atMs: number, paceMs: number): string | undefined {
    const before = this.#said;
    const waitMs = before && isUrgent(before, picture) ? Math.min(URGENT_PACE_MS, paceMs) : paceMs;
    if (atMs - this.#saidAtMs < waitMs) return undefined;
    const text = changesText(before, picture);
    if (text === '') return undefined;
    this.#said = picture;
    this.#saidAtMs = atMs;
    return text;
  }
}
