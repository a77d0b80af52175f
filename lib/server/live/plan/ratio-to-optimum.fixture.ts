import { makeDice } from '#lib/random/dice.fixture.ts';
import { optimalCost } from './optimal-cost.fixture.ts';
import { planAreas } from './plan-areas.ts';
import { requestCost } from './request-cost.ts';
import { knownTraffic, viewsAroundOnePlace } from './viewer-population.fixture.ts';

/** Random cases of 2 to 8 viewports. */
export function ratiosToOptimum(cases: number, seed: number): readonly number[] {
  const dice = makeDice(seed);
  const grid = knownTraffic(dice);
  const expected = grid.expected.bind(grid);
  return Array.from({ length: cases }, () => {
    const viewports = viewsAroundOnePlace(dice.integer(2, 8), dice).slice(0, 8);
    const cost = planAreas(viewports, expected, []).reduce((sum, area) => sum + requestCost(expected(area)), 0);
    return cost / optimalCost(viewports, expected);
  });
}
