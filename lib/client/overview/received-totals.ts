import { APART, type Apart, type CoverageCells, LOOKS, type Look, type OverviewHour } from '#lib/api/overview.ts';

/** Positions. Those apart are never added to the others. */
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

/** Received apart, where nothing else was. */
export function onlyApart(totals: ReceivedTotals): readonly Apart[] {
  return totals.positions > 0 ? [] : APART.filter((name) => totals[name] > 0);
}

export function lookCounts(looks: readonly Look[]): Readonly<Record<Look, number>> {
  const counts = { received: 0, nothing_received: 0, not_watched: 0 };
  for (const look of LOOKS) counts[look] = looks.filter((each) => each === look).length;
  return counts;
}
