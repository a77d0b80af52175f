import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import {
  type Bbox,
  bboxCovers,
  formatBbox,
  intersectBbox,
  latSpanDeg,
  lonSpanDeg,
  subtractBbox,
} from '#lib/geo/bbox.ts';
import { makeDice } from '#lib/random/dice.fixture.ts';
import { anyExpected, anyViewports } from './arbitrary-demand.fixture.ts';
import { planAreas } from './plan-areas.ts';
import { ratiosToOptimum } from './ratio-to-optimum.fixture.ts';
import { type Expected, requestCost } from './request-cost.ts';
import { knownTraffic, viewsAroundPlaces } from './viewer-population.fixture.ts';

function costIn(expected: Expected, areas: readonly Bbox[]): number {
  return areas.reduce((sum, area) => sum + requestCost(expected(area)), 0);
}

function planIn(expected: Expected, viewports: readonly Bbox[], previous: readonly Bbox[] = []): readonly Bbox[] {
  return planAreas(viewports, expected, previous);
}

/** A viewport without width or height is a point or line. */
function isShown(viewport: Bbox, areas: readonly Bbox[]): boolean {
  if (areas.some((area) => bboxCovers(area, viewport))) return true;
  if (lonSpanDeg(viewport) === 0 || latSpanDeg(viewport) === 0) {
    return coversLine(viewport, areas);
  }
  return (
    areas.reduce((left, area) => left.flatMap((rest) => subtractBbox(rest, area)), [viewport] as readonly Bbox[])
      .length === 0
  );
}

/** Areas are wider than the steps. */
function coversLine({ west, south, east, north }: Bbox, areas: readonly Bbox[]): boolean {
  return Array.from({ length: 4001 }, (_, step) => step / 4000).every((part) => {
    const lon = Math.min(east, west + (east - west) * part);
    const lat = Math.min(north, south + (north - south) * part);
    return areas.some((area) => bboxCovers(area, { west: lon, south: lat, east: lon, north: lat }));
  });
}

describe('planAreas', () => {
  test('covers every viewport with areas that the contract allows, from scratch and after another plan', () => {
    fc.assert(
      fc.property(anyViewports, anyViewports, anyExpected, (viewports, before, expected) => {
        for (const plan of [planIn(expected, viewports), planIn(expected, viewports, planIn(expected, before))]) {
          expect(viewports.every((viewport) => isShown(viewport, plan))).toBe(true);
          for (const area of plan) {
            expect(area.west).toBeLessThan(area.east);
            expect(area.south).toBeLessThan(area.north);
            expect(Math.min(area.west + 180, 180 - area.east, area.south + 90, 90 - area.north)).toBeGreaterThanOrEqual(
              0,
            );
            expect(Math.max(lonSpanDeg(area), latSpanDeg(area))).toBeLessThanOrEqual(LIVE_MAX_SPAN_DEG);
          }
        }
      }),
    );
  });

  test('costs at most what all viewports cost alone, from scratch and after another plan', () => {
    fc.assert(
      fc.property(anyViewports, anyViewports, anyExpected, (viewports, before, expected) => {
        const alone = costIn(expected, viewports);
        const fresh = planIn(expected, viewports);
        const after = planIn(expected, viewports, planIn(expected, before));
        expect(costIn(expected, fresh)).toBeLessThanOrEqual(alone);
        expect(costIn(expected, after)).toBeLessThanOrEqual(Math.min(alone, costIn(expected, fresh) + 1));
      }),
    );
  });

  test('keeps the plan for the same viewports in any order', () => {
    fc.assert(
      fc.property(anyViewports, anyExpected, (viewports, expected) => {
        const plan = planIn(expected, viewports);
        expect(planIn(expected, viewports.toReversed())).toEqual(plan);
        expect(new Set(planIn(expected, viewports, plan).map(formatBbox))).toEqual(new Set(plan.map(formatBbox)));
      }),
    );
  });

  test('plans no area without viewers, whatever the plan before', () => {
    const withArea = (boxes: readonly Bbox[]) => boxes.filter((box) => lonSpanDeg(box) > 0 && latSpanDeg(box) > 0);
    fc.assert(
      fc.property(anyViewports, anyViewports, anyExpected, (some, before, expected) => {
        const viewports = withArea(some);
        for (const area of planIn(expected, viewports, planIn(expected, before))) {
          expect(viewports.some((viewport) => intersectBbox(viewport, area) !== undefined)).toBe(true);
        }
      }),
    );
  });

  test('is within 5% of the exhaustive optimum on average, and never twice as expensive', () => {
    const ratios = ratiosToOptimum(400, 20_261_121);
    expect(ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length).toBeLessThanOrEqual(1.05);
    expect(Math.max(...ratios)).toBeLessThan(2);
  });

  test('a thousand viewers around twelve places take at most 75 requests', () => {
    const dice = makeDice(20_261_121);
    const counts = knownTraffic(dice);
    const expected: Expected = (bbox) => counts.expected(bbox);
    for (let population = 0; population < 5; population++) {
      expect(costIn(expected, planIn(expected, viewsAroundPlaces(1000, dice)))).toBeLessThanOrEqual(75);
    }
  });
});
