import type { Bbox } from '#lib/geo/bbox.ts';
import { makeDice } from '#lib/random/dice.fixture.ts';
import { planAreas } from '#lib/server/live/plan/plan-areas.ts';
import { ratiosToOptimum } from '#lib/server/live/plan/ratio-to-optimum.fixture.ts';
import { requestCost } from '#lib/server/live/plan/request-cost.ts';
import { knownTraffic, viewsAroundPlaces } from '#lib/server/live/plan/viewer-population.fixture.ts';
import { mean, rounded, spread, timed } from './figures.ts';

const SEED = 1;
const VIEWERS = 1000;
const POPULATIONS = 40;
const MOVES = 200;
const SMALL_CASES = 5000;
const WARM_UP = 5;
const GOAL = { requests: 75, ratio_mean: 1.05, plan_ms: 20 };

export async function bench(): Promise<object> {
  const dice = makeDice(SEED);
  const grid = knownTraffic(dice);
  const expected = grid.expected.bind(grid);
  const cost = (areas: readonly Bbox[]) => areas.reduce((total, area) => total + requestCost(expected(area)), 0);

  const requests: number[] = [];
  const planMs: number[] = [];
  let views: readonly Bbox[] = [];
  let areas: readonly Bbox[] = [];
  for (let run = 0; run < POPULATIONS + WARM_UP; run++) {
    views = viewsAroundPlaces(VIEWERS, dice);
    const [planned, tookMs] = timed(() => planAreas(views, expected, []));
    areas = planned;
    if (run < WARM_UP) continue;
    planMs.push(tookMs);
    requests.push(cost(areas));
  }
  const moveMs: number[] = [];
  for (let move = 0; move < MOVES; move++) {
    views = views.with(dice.integer(0, views.length - 1), dice.pick(viewsAroundPlaces(1, dice)));
    const [after, tookMs] = timed(() => planAreas(views, expected, areas));
    areas = after;
    moveMs.push(tookMs);
  }

  const ratios = ratiosToOptimum(SMALL_CASES, SEED);
  const [perRefresh, took, ratio] = [spread(requests), spread(planMs), mean(ratios)];
  return {
    what: `${VIEWERS} viewers around 12 places, windows of 0.2° to 30°, 13,430 aircraft; ${POPULATIONS} such populations; ratio: ${SMALL_CASES} cases of 2 to 8 windows, compared with the best of all partitions`,
    goal: GOAL,
    reached: perRefresh.max <= GOAL.requests && ratio <= GOAL.ratio_mean && took.p95 <= GOAL.plan_ms,
    requests: perRefresh,
    ratio_mean: rounded(ratio, 4),
    ratio_worst: rounded(Math.max(...ratios), 4),
    plan_ms: took,
    plan_ms_when_one_moves: spread(moveMs),
  };
}
