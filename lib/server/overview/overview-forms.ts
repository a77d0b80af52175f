import 'server-only';
import { APART, type Apart, type CoverageCells, type OverviewHour } from '#lib/api/overview.ts';
import { cellDegOf } from '#lib/overview/cells.ts';
import type { CoverageSum } from '#lib/overview/coverage-sum.ts';
import type { ClassSum, HourSum } from '#lib/overview/hour-sum.ts';
import { formatInstant, upstreamInstant } from '#lib/time/instant.ts';

export function hourText(ms: number): string {
  return formatInstant(upstreamInstant(ms));
}

export function cellsOf(sum: CoverageSum): CoverageCells {
  const { cells, positions, referenceHours } = sum;
  const { watchedS, partlyS } = sum.watched();
  const [received, ...apart] = positions as [Float64Array, Float64Array, Float64Array, Float64Array];
  const listed = Array.from(referenceHours.keys()).filter(
    (index) =>
      positions.some((counts) => (counts[index] as number) > 0) ||
      (watchedS[index] as number) + (partlyS[index] as number) > 0,
  );
  const column = (values: Float64Array) => listed.map((index) => values[index] as number);
  const seconds = (values: Float64Array) => listed.map((index) => roundedUp(values[index] as number));
  const worldColumns = 360 / cellDegOf(cells.size);
  return {
    column: listed.map((index) => (cells.column + (index % cells.columns)) % worldColumns),
    row: listed.map((index) => cells.row + Math.floor(index / cells.columns)),
    positions: column(received),
    reference_hours: column(referenceHours),
    watched_s: seconds(watchedS),
    partly_s: seconds(partlyS),
    ...(Object.fromEntries(APART.map((name, index) => [name, column(apart[index] as Float64Array)])) as Record<
      Apart,
      number[]
    >),
  };
}

/** To 0.1 s: watched time never becomes none. */
function roundedUp(seconds: number): number {
  return Math.max(0, Math.ceil(seconds * 10 - 1e-6) / 10);
}

const NO_CLASS: ClassSum = { positions: 0, references: 0, referencesError: undefined };
export const NOTHING: HourSum = { watchedS: 0, partlyS: 0, classes: [NO_CLASS, NO_CLASS, NO_CLASS, NO_CLASS] };

export function hourOf(
  hourMs: number,
  { watchedS, partlyS, classes }: HourSum,
  { late, isCut }: { readonly late: number; readonly isCut: boolean },
): OverviewHour {
  const [main, simulated, test, inconsistent] = classes.map(({ positions, references, referencesError }) => ({
    positions,
    references,
    references_error: referencesError ?? null,
  })) as [ReceivedSum, ReceivedSum, ReceivedSum, ReceivedSum];
  return {
    start: hourText(hourMs),
    watched_s: roundedUp(watchedS),
    partly_s: roundedUp(partlyS),
    ...main,
    simulated,
    test,
    inconsistent,
    late,
    watched_cut: isCut,
  };
}

type ReceivedSum = OverviewHour['simulated'];
