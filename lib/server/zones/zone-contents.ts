import 'server-only';
import { LRUCache } from 'lru-cache';
import type { ZoneContent } from '#lib/zones/zone.ts';
import { ZONES_MAX } from '#lib/zones/zone-limits.ts';
import type { Query } from '../database/tables/tables.ts';
import { Turns } from '../work/turns.ts';
import { contentOf, revisionRows, type ZoneHead } from './zone-rows.ts';

/** 2 MB of 500 corners each. */
const READ_AT_ONCE = 100;

type Revision = Pick<ZoneHead, 'zone_id' | 'revision'>;

/** Contents of revisions, which never change: each is read and parsed once, for the watch and for all answers. */
export class ZoneContents {
  readonly #known = new LRUCache<string, ZoneContent>({ max: 2 * ZONES_MAX });

  /** In order, without those that were deleted since. */
  async with<Head extends Revision>(
    query: Query,
    heads: readonly Head[],
  ): Promise<readonly (readonly [Head, ZoneContent])[]> {
    const found = new Map<string, ZoneContent>();
    const missing: Head[] = [];
    for (const head of heads) {
      const known = this.#known.get(keyOf(head));
      if (known) found.set(keyOf(head), known);
      else missing.push(head);
    }
    const turns = new Turns();
    for (let from = 0; from < missing.length; from += READ_AT_ONCE) {
      const part = missing.slice(from, from + READ_AT_ONCE);
      const rows = await revisionRows(query)
        .where((where) =>
          where.or(
            part.map((each) => where.and([where('zone_id', '=', each.zone_id), where('revision', '=', each.revision)])),
          ),
        )
        .execute();
      for (const row of rows) {
        if (turns.isDue) await turns.next();
        const content = contentOf(row);
        this.#known.set(keyOf(row), content);
        found.set(keyOf(row), content);
      }
    }
    return heads.flatMap((head) => {
      const content = found.get(keyOf(head));
      return content ? [[head, content] as const] : [];
    });
  }
}

function keyOf({ zone_id, revision }: Revision): string {
  return `${zone_id} ${revision}`;
}
