import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TIMES_OF_DAY } from '#lib/api/overview.ts';
import { bboxCovers, lonSpanDeg } from '#lib/geo/bbox.ts';
import { HEIGHT_BANDS } from '#lib/model/height-band.ts';
import { LAYERS } from '#lib/model/position.ts';
import {
  FIRST_COVERAGE,
  OVERVIEW_SPANS,
  type OverviewPlace,
  overviewAddress,
  overviewChoiceOf,
} from './coverage-choice.ts';
import { COUNTED } from './coverage-rates.ts';
import { snappedBox } from './use-map-coverage.ts';

const box = fc
  .record({
    west: fc.integer({ min: -1800, max: 1799 }),
    width: fc.integer({ min: 1, max: 300 }),
    south: fc.integer({ min: -850, max: 500 }),
    height: fc.integer({ min: 1, max: 300 }),
  })
  .map(({ west, width, south, height }) => {
    const east = west + width;
    return {
      west: west / 10,
      south: south / 10,
      east: (east > 1800 ? east - 3600 : east) / 10,
      north: (south + height) / 10,
    };
  });
const place = fc.oneof(
  fc.constant<OverviewPlace>({ kind: 'everything' }),
  box.map((bbox): OverviewPlace => ({ kind: 'view', bbox })),
  fc.uuid().map((id): OverviewPlace => ({ kind: 'zone', id })),
);
const choice = fc.constantFrom(...LAYERS).chain((layer) =>
  fc.record({
    layer: fc.constant(layer),
    span: fc.constantFrom(...OVERVIEW_SPANS),
    times: fc.constantFrom(undefined, ...TIMES_OF_DAY),
    band: fc
      .subarray(HEIGHT_BANDS[layer].map(({ id }) => id))
      .map((ids) => (ids.length === 0 ? undefined : ids.join())),
    counted: fc.constantFrom(...COUNTED),
    place,
  }),
);

test('an address opens the same choice', () => {
  fc.assert(
    fc.property(choice, (chosen) => {
      expect(overviewChoiceOf(overviewAddress(chosen).replace('/overview', ''))).toEqual(chosen);
    }),
  );
});

test('unreadable parameters are ignored', () => {
  const search = '?hours=2&times=noon&layer=birds&band=999-&counted=ghosts&bbox=1,2,3';
  expect(overviewChoiceOf(search)).toEqual({ ...FIRST_COVERAGE, place: { kind: 'everything' } });
});

test('the box of a view covers it, and is at most three times as wide as its longer side', () => {
  fc.assert(
    fc.property(box, (view) => {
      const snapped = snappedBox(view);
      if (!snapped) return;
      expect(bboxCovers(snapped, view)).toBe(true);
      expect(lonSpanDeg(snapped)).toBeLessThanOrEqual(3 * Math.max(lonSpanDeg(view), view.north - view.south) + 1e-9);
    }),
  );
});
