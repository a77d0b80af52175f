import type { ObservationColumns } from './observation-columns.ts';
import type { ReplayStore } from './replay-store.ts';

/** Observations that are taken over in one go: the page gets its turn in between. */
const SLICE = 2000;

export interface Taking {
  readonly breathe: () => Promise<void>;
  /** False where nobody wants them any more. */
  readonly isWanted: () => boolean;
}

/** Takes a part over into the store. @returns how many observations found no room */
export async function takeInSlices(
  store: ReplayStore,
  records: ObservationColumns,
  { breathe, isWanted }: Taking,
): Promise<number> {
  let refused = 0;
  for (let first = 0; first < records.count && isWanted(); first += SLICE) {
    refused += store.add(records, first, Math.min(records.count, first + SLICE)).refused;
    if (first + SLICE < records.count) await breathe();
  }
  return refused;
}
