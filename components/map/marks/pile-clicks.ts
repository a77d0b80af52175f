/** Clicks closer together than this, in CSS pixels, are at the same place. */
const SAME_PLACE_PX = 4;

/** Repeated clicks at one place select the marks there one after the other. */
export class PileClicks {
  #x = Number.NaN;
  #y = Number.NaN;
  #picked: readonly number[] = [];

  /**
   * @param pile slots of the marks at the point, best first
   * @returns the slot to select: the best that was not selected by the clicks before at this place, then from the start again;
   *   `undefined` if there is none
   */
  next(pile: readonly number[], xPx: number, yPx: number): number | undefined {
    const isSamePlace = Math.hypot(xPx - this.#x, yPx - this.#y) <= SAME_PLACE_PX;
    const before = isSamePlace ? this.#picked : [];
    const unseen = pile.find((slot) => !before.includes(slot));
    const slot = unseen ?? pile.find((other) => other !== before.at(-1)) ?? pile[0];
    // The place of the first click counts: a hand that trembles does not wander off.
    if (!isSamePlace) [this.#x, this.#y] = [xPx, yPx];
    this.#picked = slot === undefined ? [] : unseen === undefined ? [slot] : [...before, slot];
    return slot;
  }
}
