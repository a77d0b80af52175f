import { describe, expect, test } from 'vitest';
import { upstreamInstant } from '#lib/time/instant.ts';
import { gapBoxes } from './gap-boxes.ts';
import { gapsAt } from './gaps-at.ts';
import { fiji, gap, layers, START_MS } from './replay-gaps.fixture.ts';

describe('gapBoxes', () => {
  const shown = (given: ReturnType<typeof layers>) => gapBoxes(gapsAt(given, upstreamInstant(START_MS))).features;

  test('a box is shown once, however many gaps it has', () => {
    expect(shown(layers({ adsb: [gap(0, 1), gap(-1, 1)], rid: [gap(0, 2)] })).length).toBe(1);
    expect(shown(layers({ adsb: [gap(0, 1)], rid: [gap(0, 1, fiji)] })).length).toBe(2);
  });

  test('a box across 180° is one box on the map, at its true width', () => {
    const [place] = shown(layers({ adsb: [gap(0, 1, fiji)] }));
    const lons = place?.geometry.coordinates.flat().map(([lon]) => lon as number) ?? [];
    expect([Math.min(...lons), Math.max(...lons)]).toEqual([178, 181]);
  });
});
