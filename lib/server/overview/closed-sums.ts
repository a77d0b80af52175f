import 'server-only';
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { OVERVIEW_DAYS_MAX, type OverviewHour } from '#lib/api/overview.ts';
import type { Layer } from '#lib/model/position.ts';
import type { CellBox } from '#lib/overview/cells.ts';
import type { CoverageSum } from '#lib/overview/coverage-sum.ts';
import type { CellMask } from '#lib/overview/hour-sum.ts';

export interface SummedHours {
  readonly sum: CoverageSum;
  readonly sampling: number;
  readonly isCut: boolean;
}

interface SumsOfArea {
  readonly mask: CellMask;
  /** By start. */
  readonly hours: LRUCache<number, OverviewHour>;
}

/** Up to 1.3 MB each, of 20,000 cells. */
const COVERAGES_MAX = 12;
/** Up to 0.4 MB each, of 31 days. */
const AREAS_MAX = 24;
const HOURS_MAX = OVERVIEW_DAYS_MAX * 24;

/** Sums of closed hours, which never change: of the coverages and areas that were used last. */
export class ClosedSums {
  readonly #coverages = new LRUCache<string, SummedHours>({ max: COVERAGES_MAX });
  readonly #areas = new LRUCache<string, SumsOfArea>({ max: AREAS_MAX });

  async coverage(
    of: { readonly layer: Layer; readonly band: number | undefined; readonly cells: CellBox },
    hoursMs: readonly number[],
    sum: () => Promise<SummedHours>,
  ): Promise<SummedHours> {
    const hours = createHash('sha256').update(hoursMs.join()).digest('base64');
    return kept(this.#coverages, JSON.stringify([of, hours]), sum);
  }

  /** @param area names a shape that does not change */
  async area(layer: Layer, cells: CellBox, area: string, mask: () => Promise<CellMask>): Promise<SumsOfArea> {
    const key = JSON.stringify([layer, cells, area]);
    return kept(this.#areas, key, async () => ({ mask: await mask(), hours: new LRUCache({ max: HOURS_MAX }) }));
  }
}

async function kept<Value extends object>(
  cache: LRUCache<string, Value>,
  key: string,
  make: () => Promise<Value>,
): Promise<Value> {
  const known = cache.get(key);
  if (known) return known;
  const made = await make();
  cache.set(key, made);
  return made;
}
