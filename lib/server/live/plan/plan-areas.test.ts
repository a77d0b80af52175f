import { describe, expect, test } from 'vitest';
import type { Bbox } from '#lib/geo/bbox.ts';
import { makeDice } from '#lib/random/seeded-random.ts';
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
  test('nothing is asked where nobody looks', () => {
    expect(planAreas([], sparse, [])).toEqual([]);
    expect(planAreas([], sparse, planAreas([alps], sparse, []))).toEqual([]);
  });

  test('neighbours share a request, the two sides of the world do not', () => {
    expect(planAreas([alps, box(10.3, 47.9, 2)], sparse, [])).toHaveLength(1);
    expect(planAreas([alps, tokyo], sparse, [])).toHaveLength(2);
    expect(planAreas([box(178, 0, 2), box(-180, 0, 2)], sparse, [])).toHaveLength(2);
  });

  test('a viewer who pans a little is covered by what was asked for', () => {
    const plan = planAreas([alps, tokyo], sparse, []);
    expect(planAreas([box(6.15, 45.15, 3), tokyo], sparse, plan)).toEqual(plan);
  });

  test('a viewer who comes or goes changes nothing for others elsewhere', () => {
    const plan = planAreas([alps, tokyo], sparse, []);
    const more = planAreas([alps, tokyo, box(-75, 40, 2)], sparse, plan);
    expect(more).toEqual(expect.arrayContaining([...plan]));
    expect(more).toHaveLength(3);
    expect(planAreas([alps], sparse, more)).toEqual(planAreas([alps], sparse, []));
  });

  test('where one place has become dearer than it needs to be, another one keeps its areas', () => {
    const near = [0, 1, 2, 3].map((step) => box(step * 4 + 0.1, 50, 1));
    const dense = evenly(200);
    const apart = planAreas([...near, tokyo], dense, []);
    const now = planAreas([...near, tokyo, box(-75, 40, 1)], sparse, apart);
    const tokyos = (areas: readonly Bbox[]) => areas.filter(({ west }) => west > 130);
    expect(apart.length - tokyos(apart).length).toBeGreaterThan(2);
    expect(now.filter(({ west }) => west > -10 && west < 40)).toHaveLength(1);
    expect(tokyos(now)).toEqual(tokyos(apart));
  });

  test('an area that has become dense is asked in one-page parts', () => {
    const plan = planAreas([alps], sparse, []);
    const dense = evenly(280);
    for (const area of planAreas([alps], dense, plan)) expect(requestCost(dense(area))).toBe(1);
  });

  test('five thousand views of streets in one region are planned without looking at each with each', () => {
    const dice = makeDice(1);
    const views = Array.from({ length: 5000 }, () => box(dice.between(-5, 20), dice.between(40, 55), 0.05));
    let looks = 0;
    const plan = planAreas(
      views,
      (bbox) => {
        looks++;
        return sparse(bbox);
      },
      [],
    );
    expect(plan.length).toBeLessThanOrEqual(4);
    expect(looks).toBeLessThan(5000 * 60);
  });
});
