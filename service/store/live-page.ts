import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { LiveEntry } from './live-snapshots.ts';

export interface LivePage {
  readonly entries: readonly LiveEntry[];
  /** `undefined` on the last page. */
  readonly nextAfter: string | undefined;
}

/** Pages continue by reference, so records that arrive or expire between pages push none out. */
export function livePage(
  sorted: readonly LiveEntry[],
  after: string | undefined,
  limit: number,
  now: UpstreamInstant,
): LivePage {
  const entries: LiveEntry[] = [];
  for (let index = after === undefined ? 0 : firstAfter(sorted, after); index < sorted.length; index += 1) {
    const entry = sorted[index]!;
    if (now >= entry.staleAfter) continue;
    if (entries.length === limit) return { entries, nextAfter: entries[limit - 1]!.reference };
    entries.push(entry);
  }
  return { entries, nextAfter: undefined };
}

function firstAfter(sorted: readonly LiveEntry[], reference: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]!.reference <= reference) low = middle + 1;
    else high = middle;
  }
  return low;
}
