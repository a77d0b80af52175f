import { type CellBox, indexIn } from './cells.ts';
import type { StoredHour } from './hour-body.ts';
import { BANDS, CLASSES } from './kinds.ts';
import { WatchedTime } from './watched-time.ts';

/** Cells of a box that count. */
export interface CellMask {
  readonly cells: CellBox;
  /** 1 for those that count, row by row. */
  readonly isIn: Uint8Array;
}

export interface ClassSum {
  readonly positions: number;
  /** Distinct. */
  readonly references: number;
  /** Standard error of an estimate from a sample. */
  readonly referencesError: number | undefined;
}

export interface HourSum {
  /** Seconds as the mean over the cells. */
  readonly watchedS: number;
  readonly partlyS: number;
  readonly classes: readonly ClassSum[];
}

export function sumOfHour(hour: StoredHour, { cells, isIn }: CellMask): HourSum {
  const { columns, rows, kinds, counts, starts, paths, sampling } = hour;
  const positions = new Float64Array(CLASSES);
  /** Class + 1 of cells that count. */
  const classes = new Uint8Array(counts.length);
  for (let cell = 0; cell < counts.length; cell++) {
    const index = indexIn(cells, columns[cell] as number, rows[cell] as number, hour.size);
    if (index < 0 || isIn[index] === 0) continue;
    const its = Math.floor((kinds[cell] as number) / BANDS);
    classes[cell] = its + 1;
    (positions[its] as number) += counts[cell] as number;
  }
  const followed = new Float64Array(CLASSES);
  for (let path = 0; path + 1 < starts.length; path++) {
    let found = 0;
    for (let at = starts[path] as number; at < (starts[path + 1] as number); at++)
      found |= (1 << (classes[paths[at] as number] as number)) >> 1;
    for (let its = 0; its < CLASSES; its++) (followed[its] as number) += (found >> its) & 1;
  }
  return {
    ...watchedMean(hour, { cells, isIn }),
    classes: Array.from(positions, (count, its) => ({
      positions: count,
      ...estimated(followed[its] as number, sampling, count),
    })),
  };
}

/** Each reference is followed with the probability 2 ** -sampling. */
function estimated(followed: number, sampling: number, positions: number): Omit<ClassSum, 'positions'> {
  if (sampling === 0 || positions === 0) return { references: followed, referencesError: undefined };
  const weight = 2 ** sampling;
  return { references: followed * weight, referencesError: Math.sqrt(Math.max(1, followed) * weight * (weight - 1)) };
}

function watchedMean({ watched }: StoredHour, { cells, isIn }: CellMask): Pick<HourSum, 'watchedS' | 'partlyS'> {
  const time = new WatchedTime(cells);
  for (const box of watched) time.add(box);
  const { watchedS, partlyS } = time.perCell();
  let [watchedSum, partlySum, count] = [0, 0, 0];
  for (let index = 0; index < isIn.length; index++) {
    if (isIn[index] === 0) continue;
    count++;
    watchedSum += watchedS[index] as number;
    partlySum += partlyS[index] as number;
  }
  return count === 0 ? { watchedS: 0, partlyS: 0 } : { watchedS: watchedSum / count, partlyS: partlySum / count };
}
