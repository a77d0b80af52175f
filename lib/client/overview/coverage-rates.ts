import {
  APART,
  type Apart,
  type CoverageCells,
  LOOKS,
  type Look,
  lookOf,
  type OverviewHour,
} from '#lib/api/overview.ts';
import { receptionShare } from '#lib/model/measured-reception.ts';
import { HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';

const HOUR_S = HOUR_MS / SECOND_MS;

/**
 * The counts of the overview, by cell and by hour, and the steps of its colours. Simulated, test and inconsistent positions
 * stay apart: no count adds them to others.
 */
export const COUNTED = ['references', 'positions', ...APART] as const;
export type Counted = (typeof COUNTED)[number];

/** The map also has the share of time in which tracks were received. Hours have no such share. */
export const COVERED = [...COUNTED, 'reception'] as const;
export type Covered = (typeof COVERED)[number];

export function isReception(covered: Covered): covered is 'reception' {
  return covered === 'reception';
}

/** The count of the hours, next to the map. */
export function countedBeside(covered: Covered): Counted {
  return isReception(covered) ? 'references' : covered;
}

export interface CellRate {
  readonly look: Look;
  /**
   * The count for each hour of watched or partly watched time, or the share of measured reception. `undefined` without such
   * time, with none in the sample, or where reception is not measured.
   */
  readonly rate: number | undefined;
}

export function coverageCountOf(cells: CoverageCells, index: number, counted: Counted): number {
  return cells[counted === 'references' ? 'reference_hours' : counted][index] ?? 0;
}

export function cellRate(cells: CoverageCells, index: number, covered: Covered): CellRate {
  const counted = countedBeside(covered);
  const count = coverageCountOf(cells, index, counted);
  const [watchedS, partlyS] = [cells.watched_s[index] ?? 0, cells.partly_s[index] ?? 0];
  // Positions decide the look: a sample of few references may have none.
  const look = lookOf(counted === 'references' ? (cells.positions[index] ?? 0) : count, watchedS, partlyS);
  if (isReception(covered)) return { look, rate: receptionShare(cells.received_s[index], cells.followed_s[index]) };
  const seconds = watchedS + partlyS;
  return { look, rate: look === 'received' && seconds > 0 && count > 0 ? (count / seconds) * HOUR_S : undefined };
}

/** Each step has about as many cells as the others, so that one stray rate cannot stretch the scale. */
export const STEPS_MAX = 5;

/** Of shares, which are compared between places and times. */
const SHARE_STEPS = [0, 0.25, 0.5, 0.75, 0.9];

/** The steps of the colours. */
export function stepsOf(rates: readonly CellRate[], covered: Covered): readonly number[] {
  return isReception(covered) ? SHARE_STEPS : rateSteps(rates.flatMap(({ rate }) => rate ?? []));
}

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

/** The index in `steps` of the step that the rate is in. */
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

export function cellRates(cells: CoverageCells, covered: Covered): readonly CellRate[] {
  return cells.column.map((_, index) => cellRate(cells, index, covered));
}

export function countedOf(
  hour: OverviewHour,
  counted: Counted,
): Pick<OverviewHour, 'references' | 'references_error' | 'positions'> {
  return counted === 'references' || counted === 'positions' ? hour : hour[counted];
}

export function hourCount(hour: OverviewHour, counted: Counted): number {
  const { references, positions } = countedOf(hour, counted);
  return counted === 'references' ? references : positions;
}

/** The look of an hour. Positions decide it: a sample of few references may have none. */
export function hourLook(hour: OverviewHour, counted: Counted): Look {
  return lookOf(countedOf(hour, counted).positions, hour.watched_s, hour.partly_s);
}

/** How many positions there were, and of those apart. */
export type ReceivedTotals = Readonly<Record<'positions' | Apart, number>>;

export function totalsOfCells(cells: CoverageCells): ReceivedTotals {
  const sum = (name: 'positions' | Apart) => cells[name].reduce((total, count) => total + count, 0);
  return {
    positions: sum('positions'),
    simulated: sum('simulated'),
    test: sum('test'),
    inconsistent: sum('inconsistent'),
  };
}

export function totalsOfHours(hours: readonly OverviewHour[]): ReceivedTotals {
  const sum = (of: (hour: OverviewHour) => number) => hours.reduce((total, hour) => total + of(hour), 0);
  return {
    positions: sum(({ positions }) => positions),
    simulated: sum(({ simulated }) => simulated.positions),
    test: sum(({ test }) => test.positions),
    inconsistent: sum(({ inconsistent }) => inconsistent.positions),
  };
}

/** The counts apart that are not 0, where nothing else was received. */
export function onlyApart(totals: ReceivedTotals): readonly Apart[] {
  return totals.positions > 0 ? [] : APART.filter((name) => totals[name] > 0);
}

export function lookCounts(looks: readonly Look[]): Readonly<Record<Look, number>> {
  const counts = { received: 0, nothing_received: 0, not_watched: 0 };
  for (const look of LOOKS) counts[look] = looks.filter((each) => each === look).length;
  return counts;
}
