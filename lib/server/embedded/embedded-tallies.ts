import 'server-only';
import { LRUCache } from 'lru-cache';
import type { LocalInstant } from '#lib/time/instant.ts';
import type { Tallies, Tally, TallyChange, TallyKind, TallyName } from '../ports/tallies.ts';
import { tallyEnd } from '../session/tally.ts';

const KEPT_MAX = 100_000;

/** The tallies of one server, in memory: a restart begins anew. */
export class EmbeddedTallies implements Tallies {
  readonly #kept = new Map<TallyKind, LRUCache<string, Tally>>();
  readonly #keptMax: number;

  /** @param keptMax of each kind; what was counted longest ago is forgotten for more */
  constructor(keptMax = KEPT_MAX) {
    this.#keptMax = keptMax;
  }

  async change<Result>(
    names: readonly TallyName[],
    now: LocalInstant,
    change: (tallies: readonly (Tally | undefined)[]) => TallyChange<Result>,
  ): Promise<Result> {
    const found = names.map(({ kind, of }) => this.#of(kind).get(of));
    const { result, tallies } = change(found.map((tally) => (tally && now < tallyEnd(tally) ? tally : undefined)));
    for (const [index, tally] of tallies?.entries() ?? []) {
      const { kind, of } = names[index] as TallyName;
      if (tally) this.#of(kind).set(of, tally);
      else this.#of(kind).delete(of);
    }
    return result;
  }

  #of(kind: TallyKind): LRUCache<string, Tally> {
    // With `max` it would set aside the room of all of them at once, megabytes for each kind.
    const kept =
      this.#kept.get(kind) ?? new LRUCache<string, Tally>({ maxSize: this.#keptMax, sizeCalculation: () => 1 });
    this.#kept.set(kind, kept);
    return kept;
  }
}
