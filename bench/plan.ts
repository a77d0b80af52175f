import type { Bbox } from '#lib/geo/bbox.ts';
import { type Dice, makeDice } from '#lib/random/seeded-random.ts';
import { planAreas } from '#lib/server/live/plan/plan-areas.ts';
import { ratiosToOptimum } from '#lib/server/live/plan/ratio-to-optimum.fixture.ts';
import { requestCost } from '#lib/server/live/plan/request-cost.ts';
import { knownTraffic, viewsAroundPlaces } from '#lib/server/live/plan/viewer-population.fixture.ts';
import { spread } from './spread.ts';

const SEED = 1;
const VIEWERS = 1000;
const POPULATIONS = 40;
const PANS = 200;
const SMALL_CASES = 5000;
/** Five times what the planner is designed for. */
const MANY_VIEWERS = 5000;
const MANY_RUNS = 20;
/** Initial plans, in which code is still being compiled. */
const WARM_UP = 5;
const GOAL_REQUESTS = 75;
const GOAL_RATIO = 1.05;
const GOAL_MS = 20;

/**
 * The cost of refreshing everything that 1000 viewers look at, how close it is to the optimum, and how long a plan
 * takes.
 */
export async function plan(): Promise<object> {
  const dice = makeDice(SEED);
  const grid = knownTraffic(dice);
  const expected = grid.expected.bind(grid);
  const cost = (areas: readonly Bbox[]) => areas.reduce((sum, area) => sum + requestCost(expected(area)), 0);

  const naive: number[] = [];
  const snapping: number[] = [];
  const requests: number[] = [];
  const planMs: number[] = [];
  let viewports: readonly Bbox[] = [];
  for (let run = 0; run < POPULATIONS + WARM_UP; run++) {
    viewports = viewsAroundPlaces(VIEWERS, dice);
    const [areas, tookMs] = timed(() => planAreas(viewports, expected, []));
    if (run < WARM_UP) continue;
    planMs.push(tookMs);
    naive.push(cost(viewports));
    snapping.push(cost(snapped(viewports)));
    requests.push(cost(areas));
  }

  let areas = planAreas(viewports, expected, []);
  const panMs: number[] = [];
  const newAreas: number[] = [];
  const moreThanFresh: number[] = [];
  for (let pan = 0; pan < PANS; pan++) {
    viewports = viewports.with(dice.integer(0, viewports.length - 1), dice.pick(viewsAroundPlaces(1, dice)));
    const before = new Set(areas.map(corners));
    const [after, tookMs] = timed(() => planAreas(viewports, expected, areas));
    panMs.push(tookMs);
    newAreas.push(after.filter((area) => !before.has(corners(area))).length);
    moreThanFresh.push(cost(after) - cost(planAreas(viewports, expected, [])));
    areas = after;
  }

  const timesOf = (views: () => readonly Bbox[]) =>
    spread(Array.from({ length: MANY_RUNS }, views).map((many) => timed(() => planAreas(many, expected, []))[1]));
  const manyMs = {
    at_the_places: timesOf(() => viewsAroundPlaces(MANY_VIEWERS, dice)),
    streets_of_one_region: timesOf(() => streetViews(MANY_VIEWERS, dice)),
  };

  const ratios = ratiosToOptimum(SMALL_CASES, SEED);
  const ratio = mean(ratios);
  const perRefresh = spread(requests);
  const took = spread(planMs);
  return {
    what:
      `${VIEWERS} viewers, each at one of 12 places (offset normal, 5°), windows of 16:10 and 0.2° to 30° wide (log-uniform); ` +
      '13,430 aircraft known to the planner: 10,930 around the places (20 to 2400 each, normal, 7°), the others spread evenly; ' +
      `${POPULATIONS} such populations. Small cases: ${SMALL_CASES} of 2 to 8 windows within 2° to 17° of one place, against ` +
      'the best of all partitions into hulls',
    goal: { requests: GOAL_REQUESTS, ratio_mean: GOAL_RATIO, plan_ms: GOAL_MS },
    reached: perRefresh.max <= GOAL_REQUESTS && ratio <= GOAL_RATIO && took.p95 <= GOAL_MS,
    requests_a_refresh_of_all: perRefresh,
    naive: spread(naive),
    snapped_to_1_deg: spread(snapping),
    ratio_to_optimum: {
      cases: ratios.length,
      mean: rounded(ratio),
      worst: rounded(Math.max(...ratios)),
      part_above_1: rounded(ratios.filter((each) => each > 1).length / ratios.length),
    },
    plan_ms: took,
    plan_ms_of_5000_viewers: manyMs,
    // One viewport of the thousand is replaced; the planner is given the previous plan.
    when_one_moves: {
      plan_ms: spread(panMs),
      new_areas: { mean: rounded(mean(newAreas)), ...spread(newAreas) },
      requests_more_than_fresh: { mean: rounded(mean(moreThanFresh)), ...spread(moreThanFresh) },
    },
  };
}

/** Views of 0.1° in 20° by 20° that don't contain each other: the planner's worst case. */
function streetViews(count: number, dice: Dice): readonly Bbox[] {
  return Array.from({ length: count }, () => {
    const west = dice.between(-2, 18);
    const south = dice.between(37, 57);
    return { west, south, east: west + 0.1, north: south + 0.1 };
  });
}

/** The boxes grown to whole degrees, without duplicates. */
function snapped(boxes: readonly Bbox[]): readonly Bbox[] {
  const grown = boxes.map(({ west, south, east, north }) => ({
    west: Math.floor(west),
    south: Math.floor(south),
    east: Math.ceil(east),
    north: Math.ceil(north),
  }));
  return [...new Map(grown.map((box) => [corners(box), box])).values()];
}

function corners({ west, south, east, north }: Bbox): string {
  return `${west} ${south} ${east} ${north}`;
}

function timed<T>(work: () => T): readonly [T, number] {
  const startedMs = performance.now();
  const result = work();
  return [result, performance.now() - startedMs];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
