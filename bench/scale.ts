import { bboxesTouch } from '#lib/geo/bboxes-touch.ts';
import { type Dice, makeDice } from '#lib/random/seeded-random.ts';
import { RESERVE } from '#lib/server/allowance/allowance-floors.ts';
import { PACE_LIMITS } from '#lib/server/live/pace/pace-limits.ts';
import { refreshIntervals } from '#lib/server/live/pace/refresh-intervals.ts';
import { planAreas } from '#lib/server/live/plan/plan-areas.ts';
import { requestCost } from '#lib/server/live/plan/request-cost.ts';
import { knownTraffic, type Place, viewsAroundPlaces } from '#lib/server/live/plan/viewer-population.fixture.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { storeCosts } from './store-costs.ts';

const SEED = 1;
const VIEWERS = [1000, 10_000, 100_000];
const PLACES = [10, 100, 1000];
/** Of all places together, as around the twelve of `plan`. */
const AIRCRAFT = 11_000;
/** What an account gets without any agreement. */
const ACCOUNT = { perMinute: 600, perDay: 200_000 };

/** What many viewers need: requests and pace as planned, and what each thing costs the shared store. docs/scale.md reckons with both. */
export async function scale(): Promise<object> {
  const dice = makeDice(SEED);
  return {
    what:
      'viewers as in `plan` around random places of 11,000 aircraft in all, and 2500 elsewhere: one plan from nothing, and the intervals of its areas where the ' +
      `account has ${ACCOUNT.perDay} requests a day and there are viewers all day; then what a redis-server says of three engines in this process`,
    plans: PLACES.flatMap((places) => VIEWERS.map((viewers) => planned(viewers, placesIn(places, dice), dice))),
    store: await storeCosts(),
  };
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

/** For comparison only: the shortest interval depends on the allowance. */
const SWEEP_MS = 5000;

function planned(viewers: number, places: readonly Place[], dice: Dice): object {
  const grid = knownTraffic(dice, places);
  const views = viewsAroundPlaces(viewers, dice, places);
  const cpu = process.cpuUsage();
  const boxes = planAreas(views, (bbox) => grid.expected(bbox), []);
  const { user, system } = process.cpuUsage(cpu);
  const areas = boxes.map((bbox) => ({
    cost: requestCost(grid.expected(bbox)),
    viewers: views.filter((view) => bboxesTouch(view, bbox)).length,
  }));
  const requests = areas.reduce((sum, { cost }) => sum + cost, 0);
  const byDay = ((1 - RESERVE.day) * ACCOUNT.perDay) / (DAY_MS / 1000);
  const byMinute = ((1 - RESERVE.minute) * ACCOUNT.perMinute) / 60;
  const intervals = refreshIntervals(areas, Math.min(byDay, byMinute), PACE_LIMITS);
  const watched = areas.reduce((sum, area) => sum + area.viewers, 0);
  const mean = areas.reduce((sum, area, index) => sum + area.viewers * (intervals[index] as number), 0) / watched;
  return {
    viewers,
    places: places.length,
    areas: areas.length,
    requests_a_refresh_of_all: requests,
    plan_ms: Math.round((user + system) / 1000),
    requests_a_minute_at_5_s: Math.round((requests * 60_000) / SWEEP_MS),
    requests_a_day_at_5_s: Math.round((requests * DAY_MS) / SWEEP_MS),
    interval_s: { mean_of_viewers: Math.round(mean / 100) / 10, longest: Math.round(Math.max(...intervals) / 1000) },
  };
}
