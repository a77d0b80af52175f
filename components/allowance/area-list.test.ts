import { describe, expect, test } from 'vitest';
import type { RefreshedArea } from '#lib/client/status/status-query.ts';
import { plannedAreas } from './allowance-tab.tsx';

const area = (layer: 'rid' | 'adsb', west: number, viewers: number): RefreshedArea => ({
  layer,
  bbox: { west, south: 40, east: west + 10, north: 50 },
  viewers,
  zones: 0,
  cost: 1,
  intervalMs: 5000,
  fetchedAt: undefined,
  reason: undefined,
  until: undefined,
});
const bothLayers = new Set(['rid', 'adsb'] as const);

describe('plannedAreas', () => {
  test('the areas of this view come first, then those with the most viewers', () => {
    const items = plannedAreas(
      [area('adsb', 20, 2), area('adsb', 40, 9), area('adsb', 0, 1)],
      [{ west: 5, south: 45, east: 8, north: 47 }],
      bothLayers,
    );
    expect(items.map(({ area: { bbox }, isThisView }) => [bbox.west, isThisView])).toEqual([
      [0, true],
      [40, false],
      [20, false],
    ]);
  });

  test('an area of a layer that is off does not belong to this view', () => {
    const covered = [{ west: 5, south: 45, east: 8, north: 47 }];
    const items = plannedAreas([area('rid', 0, 1), area('adsb', 0, 1)], covered, new Set(['rid'] as const));
    expect(items.map(({ area: { layer }, isThisView }) => [layer, isThisView])).toEqual([
      ['rid', true],
      ['adsb', false],
    ]);
  });

  test('ties have the same order however the answer lists them', () => {
    const areas = [area('rid', 0, 1), area('adsb', 0, 1), area('adsb', 20, 1)];
    const keys = (listed: readonly RefreshedArea[]) => plannedAreas(listed, [], bothLayers).map(({ key }) => key);
    expect(keys(areas.toReversed())).toEqual(keys(areas));
    expect(new Set(keys(areas)).size).toBe(areas.length);
  });
});
