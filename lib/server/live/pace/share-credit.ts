import 'server-only';
import { LAYERS } from '#lib/model/position.ts';
import { type LocalInstant, msBetween } from '#lib/time/instant.ts';

/** A refresh of both layers comes due at once: who had that much more than the share has not had more than others. */
const TOLERATED = LAYERS.length;
/** Credit and debt are kept up to what the share gives in this time, or to twice that. */
const KEPT_S = 60;
const KEPT_MIN = 2 * TOLERATED;

/**
 * Whether operators have had their share of the scheduled refreshes. It decides whose go first where not all that are due can pass: who
 * has had more waits for the others.
 */
export class ShareCredit {
  readonly #credits = new Map<string, number>();
  #shares: ReadonlyMap<string, number> = new Map();
  #at: LocalInstant | undefined;

  /** @param shares requests per second of each operator from now on */
  setShares(shares: ReadonlyMap<string, number>, now: LocalInstant): void {
    const passedS = this.#at === undefined ? 0 : Math.max(0, msBetween(this.#at, now)) / 1000;
    this.#at = now;
    for (const [operator, credit] of this.#credits) {
      const share = this.#shares.get(operator) ?? 0;
      const kept = Math.max(KEPT_MIN, share * KEPT_S);
      this.#credits.set(operator, Math.min(kept, Math.max(-kept, credit + share * passedS)));
      if (!shares.has(operator)) this.#credits.delete(operator);
    }
    for (const operator of shares.keys()) if (!this.#credits.has(operator)) this.#credits.set(operator, 0);
    this.#shares = shares;
  }

  /** Charges a refresh to those who look at the area, in equal parts. */
  charge(operators: Iterable<string>, requests: number): void {
    const names = [...operators];
    for (const name of names) this.#credits.set(name, (this.#credits.get(name) ?? 0) - requests / names.length);
  }

  /** Whether one of them has not had the whole share yet. */
  hasSome(operators: Iterable<string>): boolean {
    for (const name of operators) if ((this.#credits.get(name) ?? 0) >= -TOLERATED) return true;
    return false;
  }
}
