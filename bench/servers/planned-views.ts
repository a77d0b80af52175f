import { type Bbox, bboxesTouch } from '#lib/geo/bbox.ts';
import { type Dice, makeDice } from '#lib/random/dice.fixture.ts';
import { RESERVE } from '#lib/server/allowance/shares.ts';
import { fairIntervals, MIN_INTERVAL_MS } from '#lib/server/live/pace/refresh-pace.ts';
import { Demand } from '#lib/server/live/plan/demand.ts';
import { DemandOfAll } from '#lib/server/live/plan/demand-of-all.ts';
import { planAreas } from '#lib/server/live/plan/plan-areas.ts';
import { requestCost } from '#lib/server/live/plan/request-cost.ts';
import { knownTraffic, type Place, viewsAroundPlaces } from '#lib/server/live/plan/viewer-population.fixture.ts';
import { readCells, writeCells } from '#lib/server/servers/demand-reports.ts';
import { localInstant } from '#lib/time/instant.ts';
import { DAY_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { sum, timed } from '../figures.ts';

const SEED = 1;
const VIEWERS = [1000, 10_000, 20_000, 50_000];
const PLACES = [10, 100, 1000];
const READERS = 2;
const OPERATORS = 100;
const AIRCRAFT = 11_000;
/** An account without an agreement. */
const PER_DAY = 200_000;

/** The table of docs/scale.md, for one layer. */
export function plannedViews(): readonly object[] {
  const dice = makeDice(SEED);
  return PLACES.flatMap((places) => VIEWERS.map((viewers) => planned(viewers, placesIn(places, dice), dice)));
}

export function planMsOf(reports: readonly string[]): number {
  const grid = knownTraffic(makeDice(SEED));
  return planOf(reports, (bbox) => grid.expected(bbox))[1];
}

function planOf(reports: readonly string[], expected: (bbox: Bbox) => number) {
  const all = new DemandOfAll();
  for (const [index, report] of reports.entries())
    all.report(`${index}`, { viewers: 0, cells: readCells(report) ?? [] });
  const views = all.viewports('adsb').map(({ bbox }) => bbox);
  return timed(() => planAreas(views, expected, []));
}

function placesIn(count: number, dice: Dice): readonly Place[] {
  const weights = Array.from({ length: count }, () => 100 ** dice.between(0, 1));
  return weights.map((weight) => ({
    lon: dice.between(-180, 180),
    lat: dice.between(-45, 60),
    aircraft: Math.round((AIRCRAFT * weight) / sum(weights)),
  }));
}

const operatorOf = (view: number) => `operator-${view % OPERATORS}`;

function planned(viewers: number, places: readonly Place[], dice: Dice): object {
  const grid = knownTraffic(dice, places);
  const views = viewsAroundPlaces(viewers, dice, places);
  const readers = Array.from({ length: READERS }, () => new Demand());
  for (const [index, view] of views.entries()) {
    const viewer = { operator: operatorOf(index), session: undefined, page: `${index}` };
    readers[index % READERS]?.polled(viewer, [view], ['adsb'], localInstant(0));
  }
  const [reports, reportMs] = timed(() => readers.map((reader) => writeCells(reader)));
  const [boxes, planMs] = planOf(reports, (bbox) => grid.expected(bbox));
  const areas = boxes.map((bbox) => {
    const operators = views.flatMap((view, index) => (bboxesTouch(view, bbox) ? [operatorOf(index)] : []));
    return {
      cost: requestCost(grid.expected(bbox)),
      viewers: operators.length,
      views: new Map(operators.map((operator) => [operator, 1])),
    };
  });
  const requests = sum(areas.map(({ cost }) => cost));
  const perSecond = ((1 - RESERVE.day) * PER_DAY * SECOND_MS) / DAY_MS;
  const [weight, shortestMs] = [() => 1, () => MIN_INTERVAL_MS];
  const intervals = fairIntervals(areas, perSecond, weight, shortestMs);
  const watched = areas.map((area, index) => area.viewers * (intervals[index] as number));
  return {
    viewers,
    places: places.length,
    areas: areas.length,
    requests_a_day_at_5_s: Math.round((requests * DAY_MS) / (5 * SECOND_MS)),
    mean_interval_s: Math.round(sum(watched) / sum(areas.map((area) => area.viewers)) / SECOND_MS),
    longest_interval_s: Math.round(Math.max(...intervals) / SECOND_MS),
    report_ms: Math.round(reportMs / READERS),
    plan_ms: Math.round(planMs),
  };
}
