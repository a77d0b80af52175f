import { describe, expect, test } from 'vitest';
import type { Bbox } from '#lib/geo/bbox.ts';
import { makeDice } from '#lib/random/dice.fixture.ts';
import { planAreas } from './plan-areas.ts';
import { requestCost } from './request-cost.ts';

const box = (west: number, south: number, widthDeg: number, heightDeg = widthDeg): Bbox => ({
  west,
  south,
  east: west + widthDeg,
  north: south + heightDeg,
});
const evenly = (recordsPerDeg2: number) => (bbox: Bbox) =>
  (bbox.east - bbox.west) * (bbox.north - bbox.south) * recordsPerDeg2;
const sparse = evenly(0.1);
const alps = box(6.1, 45.2, 3);
const tokyo = box(138.3, 34.4, 3);

describe('planAreas', () => {
  test('plans nothing without viewports', () => {
    expect(planAreas([], sparse, [])).toEqual([]);
    expect(planAreas([], sparse, planAreas([alps], sparse, []))).toEqual([]);
  });

  test('neighbours share a request, opposite sides of the world do not', () => {
    expect(planAreas([alps, box(10.3, 47.9, 2)], sparse, [])).toHaveLength(1);
    expect(planAreas([alps, tokyo], sparse, [])).toHaveLength(2);
    expect(planAreas([box(178, 0, 2), box(-180, 0, 2)], sparse, [])).toHaveLength(2);
  });

  test('a viewer who pans a little stays within the plan', () => {
    const plan = planAreas([alps, tokyo], sparse, []);
    expect(planAreas([box(6.15, 45.15, 3), tokyo], sparse, plan)).toEqual(plan);
  });

  test('a viewer who comes or goes changes nothing elsewhere', () => {
    const plan = planAreas([alps, tokyo], sparse, []);
    const more = planAreas([alps, tokyo, box(-75, 40, 2)], sparse, plan);
    expect(more).toEqual(expect.arrayContaining([...plan]));
    expect(more).toHaveLength(3);
    expect(planAreas([alps], sparse, more)).toEqual(planAreas([alps], sparse, []));
  });

  test('replanning one place that has become too expensive keeps the areas of another', () => {
    const near = [0, 1, 2, 3].map((step) => box(step * 4 + 0.1, 50, 1));
    const dense = evenly(200);
    const apart = planAreas([...near, tokyo], dense, []);
    const now = planAreas([...near, tokyo, box(-75, 40, 1)], sparse, apart);
    const tokyos = (areas: readonly Bbox[]) => areas.filter(({ west }) => west > 130);
    expect(apart.length - tokyos(apart).length).toBeGreaterThan(2);
    expect(now.filter(({ west }) => west > -10 && west < 40)).toHaveLength(1);
    expect(tokyos(now)).toEqual(tokyos(apart));
  });

  test('an area that has become dense is split into one-page parts', () => {
    const plan = planAreas([alps], sparse, []);
    const dense = evenly(280);
    for (const area of planAreas([alps], dense, plan)) expect(requestCost(dense(area))).toBe(1);
  });

  test('plans five thousand street-level views of one region without comparing every pair', () => {
    const dice = makeDice(1);
    const views = Array.from({ length: 5000 }, () => box(dice.between(-5, 20), dice.between(40, 55), 0.05));
    let counted = 0;
    const plan = planAreas(
      views,
      (bbox) => {
        counted++;
        return sparse(bbox);
      },
      [],
    );
    expect(plan.length).toBeLessThanOrEqual(4);
    expect(counted).toBeLessThan(5000 * 60);
  });
});
