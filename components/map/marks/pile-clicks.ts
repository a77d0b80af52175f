/** Clicks this close are at the same place, CSS pixels. */
const SAME_PLACE_PX = 4;

/** Repeated clicks at one place cycle through the marks there. */
export class PileClicks {
  #x = Number.NaN;
  #y = Number.NaN;
  #picked: readonly number[] = [];

  /**
   * @param pile best first
   * @returns the slot to select; `undefined` if there is none
   */
  next(pile: readonly number[], xPx: number, yPx: number): number | undefined {
    const isSamePlace = Math.hypot(xPx - this.#x, yPx - this.#y) <= SAME_PLACE_PX;
    const before = isSamePlace ? this.#picked : [];
    const unseen = pile.find((slot) => !before.includes(slot));
    const slot = unseen ?? pile.find((other) => other !== before.at(-1)) ?? pile[0];
    // Measured from the first click, so that a trembling hand does not drift.
    if (!isSamePlace) [this.#x, this.#y] = [xPx, yPx];
    this.#picked = slot === undefined ? [] : unseen === undefined ? [slot] : [...before, slot];
    return slot;
  }
}
