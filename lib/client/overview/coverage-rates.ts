import { APART, type CoverageCells, type Look, lookOf } from '#lib/api/overview.ts';
import { HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';

const HOUR_S = HOUR_MS / SECOND_MS;

/** Never added to each other. */
export const COUNTED = ['references', 'positions', ...APART] as const;
export type Counted = (typeof COUNTED)[number];

export interface CellRate {
  readonly look: Look;
  /** An hour of watched and partly watched time; `undefined` without such time, or with none in the sample. */
  readonly perHour: number | undefined;
}

export function coverageCountOf(cells: CoverageCells, index: number, counted: Counted): number {
  return cells[counted === 'references' ? 'reference_hours' : counted][index] ?? 0;
}

export function cellRate(cells: CoverageCells, index: number, counted: Counted): CellRate {
  const count = coverageCountOf(cells, index, counted);
  const [watchedS, partlyS] = [cells.watched_s[index] ?? 0, cells.partly_s[index] ?? 0];
  // By positions: a sample of few references may have none.
  const look = lookOf(counted === 'references' ? (cells.positions[index] ?? 0) : count, watchedS, partlyS);
  const seconds = watchedS + partlyS;
  return { look, perHour: look === 'received' && seconds > 0 && count > 0 ? (count / seconds) * HOUR_S : undefined };
}

/** One rare stray cannot stretch the scale: each step has as many cells as the others, where rates differ. */
export const STEPS_MAX = 5;

/** Lower bounds of the steps, ascending, with two digits; the first is 0. At most `STEPS_MAX`. */
export function rateSteps(rates: readonly number[]): readonly number[] {
  const sorted = [...rates].sort((one, next) => one - next);
  const bounds = [0];
  for (let step = 1; step < STEPS_MAX; step++) {
    const rate = sorted[Math.floor((step * sorted.length) / STEPS_MAX)];
    if (rate === undefined) break;
    const bound = Number(rate.toPrecision(2));
    const last = bounds.at(-1) as number;
    const isEmpty = !sorted.some((each) => each >= last && each < bound) || !sorted.some((each) => each >= bound);
    if (!isEmpty) bounds.push(bound);
  }
  return bounds;
}

/** Index in `steps`. */
export function stepOf(steps: readonly number[], rate: number): number {
  return Math.max(
    0,
    steps.findLastIndex((bound) => bound <= rate),
  );
}

/** Index of a colour, 0 to `STEPS_MAX - 1`: few steps are far apart. @param step index in steps */
export function shadeOf(step: number, steps: readonly number[]): number {
  return steps.length === 1 ? 2 : Math.round((step * (STEPS_MAX - 1)) / (steps.length - 1));
}

export function cellRates(cells: CoverageCells, counted: Counted): readonly CellRate[] {
  return cells.column.map((_, index) => cellRate(cells, index, counted));
}
