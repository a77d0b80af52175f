import type { Bbox } from '#lib/geo/bbox.ts';
import { bboxesTouch } from '#lib/geo/bboxes-touch.ts';
import { type Dice, makeDice } from '#lib/random/seeded-random.ts';
import { RESERVE } from '#lib/server/allowance/allowance-floors.ts';
import { fairIntervals } from '#lib/server/live/pace/fair-intervals.ts';
import { MIN_INTERVAL_MS } from '#lib/server/live/pace/pace-limits.ts';
import { Demand } from '#lib/server/live/plan/demand.ts';
import { DemandOfAll } from '#lib/server/live/plan/demand-of-all.ts';
import { planAreas } from '#lib/server/live/plan/plan-areas.ts';
import { requestCost } from '#lib/server/live/plan/request-cost.ts';
import { knownTraffic, type Place, viewsAroundPlaces } from '#lib/server/live/plan/viewer-population.fixture.ts';
import { readCells, writeCells } from '#lib/server/servers/demand-form.ts';
import { localInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';

const SEED = 1;
const VIEWERS = [1000, 10_000, 20_000, 50_000];
const PLACES = [10, 100, 1000];
const READERS = 2;
const OPERATORS = 100;
/** Around all places together. */
const AIRCRAFT = 11_000;
/** What an account gets without an agreement. */
const ACCOUNT = { perMinute: 600, perDay: 200_000 };
/** For comparison only: the shortest interval depends on the allowance. */
const SWEEP_MS = 5000;
const MS_PER_S = 1000;

/** What many viewers need of one layer, planned as by a writer whose readers report half of them each. */
export function plannedViews(): readonly object[] {
  const dice = makeDice(SEED);
  return PLACES.flatMap((places) => VIEWERS.map((viewers) => planned(viewers, placesIn(places, dice), dice)));
}

/** Processor time of one plan from nothing over what servers have reported, in milliseconds. */
export function planMsOf(reports: readonly string[]): number {
  const grid = knownTraffic(makeDice(SEED));
  const all = new DemandOfAll();
  for (const [index, report] of reports.entries())
    all.report(`${index}`, { viewers: 0, cells: readCells(report) ?? [] });
  const [, planMs] = timed(() => planOf(all, (bbox) => grid.expected(bbox)));
  return planMs;
}

function planOf(all: DemandOfAll, expected: (bbox: Bbox) => number): readonly Bbox[] {
  return planAreas(
    all.viewports('adsb').map(({ bbox }) => bbox),
    expected,
    [],
  );
}

function placesIn(count: number, dice: Dice): readonly Place[] {
  const weights = Array.from({ length: count }, () => 100 ** dice.between(0, 1));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => ({
    lon: dice.between(-180, 180),
    lat: dice.between(-45, 60),
    aircraft: Math.round((AIRCRAFT * weight) / sum),
  }));
}

function planned(viewers: number, places: readonly Place[], dice: Dice): object {
  const grid = knownTraffic(dice, places);
  const views = viewsAroundPlaces(viewers, dice, places);
  const readers = Array.from({ length: READERS }, () => new Demand());
  views.forEach((view, index) => {
    const viewer = { operator: operatorOf(index), session: undefined, page: `${index}` };
    readers[index % READERS]?.heard(viewer, [view], ['adsb'], localInstant(0));
  });
  const [reports, reportMs] = timed(() => readers.map((reader) => writeCells(reader)));
  const all = new DemandOfAll();
  const [, collectMs] = timed(() => {
    reports.forEach((report, index) => {
      all.report(`${index}`, { viewers: viewers / READERS, cells: readCells(report) ?? [] });
    });
  });
  const [boxes, planMs] = timed(() => planOf(all, (bbox) => grid.expected(bbox)));
  const areas = boxes.map((bbox) => {
    const operators = views.flatMap((view, index) => (bboxesTouch(view, bbox) ? [operatorOf(index)] : []));
    return {
      cost: requestCost(grid.expected(bbox)),
      viewers: operators.length,
      views: new Map(operators.map((operator) => [operator, 1])),
    };
  });
  const requests = areas.reduce((sum, { cost }) => sum + cost, 0);
  const byDay = ((1 - RESERVE.day) * ACCOUNT.perDay) / (DAY_MS / MS_PER_S);
  const byMinute = ((1 - RESERVE.minute) * ACCOUNT.perMinute) / 60;
  const intervals = fairIntervals(
    areas,
    Math.min(byDay, byMinute),
    () => 1,
    () => MIN_INTERVAL_MS,
  );
  const watched = areas.reduce((sum, area) => sum + area.viewers, 0);
  const mean = areas.reduce((sum, area, index) => sum + area.viewers * (intervals[index] as number), 0) / watched;
  return {
    viewers,
    places: places.length,
    areas: areas.length,
    requests_a_sweep: requests,
    requests_a_day_at_5_s: Math.round((requests * DAY_MS) / SWEEP_MS),
    interval_s: {
      mean_of_viewers: Math.round(mean / 100) / 10,
      longest: Math.round(Math.max(...intervals) / MS_PER_S),
    },
    report_kb: Math.round(Math.max(...reports.map(({ length }) => length)) / 1000),
    report_ms: Math.round(reportMs / READERS),
    collect_ms: Math.round(collectMs),
    plan_ms: Math.round(planMs),
  };
}

function operatorOf(viewer: number): string {
  return `operator-${viewer % OPERATORS}`;
}

/** @returns what it returned, and how much processor time it took, in milliseconds */
function timed<Result>(run: () => Result): readonly [Result, number] {
  const before = process.threadCpuUsage();
  const result = run();
  const { user, system } = process.threadCpuUsage(before);
  return [result, (user + system) / MS_PER_S];
}
