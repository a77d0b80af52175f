import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryArea } from '#lib/geo/arbitrary-area.fixture.ts';
import { areaBbox, distanceToAreaM } from '#lib/geo/area.ts';
import { destination, distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { scaleBar } from '#lib/model/measure-text.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { areaRings } from '#lib/zones/zone-area.ts';
import { PAPER_MAP, paperView, trailPaths } from './answer-map.tsx';
import { middleOf } from './place-words.ts';

const isOnPaper = ([x, y]: readonly [number, number]) =>
  x >= 0 && x <= PAPER_MAP.width && y >= 0 && y <= PAPER_MAP.height;

test('the whole area is on paper, also across 180°, and a place near it, too', () => {
  fc.assert(
    fc.property(arbitraryArea, fc.integer({ min: 0, max: 359 }), (area, course) => {
      const middle = middleOf(area);
      const alone = paperView(areaBbox(area), undefined);
      for (const place of areaRings(area).flat()) expect(isOnPaper(alone.at(place))).toBe(true);
      const near = destination(
        middle,
        course,
        2 *
          Math.max(
            ...areaRings(area)
              .flat()
              .map((each) => distanceM(middle, each)),
          ),
      );
      if (distanceToAreaM(area, near) === 0) return;
      const view = paperView(areaBbox(area), near);
      for (const place of [near, ...areaRings(area).flat()]) expect(isOnPaper(view.at(place))).toBe(true);
    }),
  );
});

test('a place far away leaves the area as large as it is', () => {
  const box = { west: 8.5, south: 47.4, east: 8.6, north: 47.5 };
  expect(paperView(box, { lon: 12, lat: 47.4 }).zoom).toBe(paperView(box, undefined).zoom);
});

test.each([
  [2, 'metric', '200 m', 100],
  [9, 'metric', '1 km', 111.1],
  [9, 'aviation', '5000 ft', 169.3],
  [40, 'aviation', '2 nm', 92.6],
] as const)('a scale of %d m a pixel in %s is %s', (metresPerPx, units, text, px) => {
  const bar = scaleBar(metresPerPx, units, 180);
  expect(bar.text).toBe(text);
  expect(bar.px).toBeCloseTo(px, 1);
});

test('a line joins what was received soon after, dots a short gap, and leaves a longer one', () => {
  const start = upstreamInstant(Date.UTC(2026, 10, 27, 12));
  const points = [0, 5, 10, 40, 2000].map((s, index) => ({ lon: index, lat: 0, at: addMs(start, s * 1000) }));
  const at = ({ lon }: LonLat) => [lon * 10, 0] as const;
  expect(trailPaths({ ref: 'a', kind: 'drone', points }, { at })).toEqual({
    solid: 'M0.0 0.0L10.0 0.0L20.0 0.0',
    dotted: 'M20.0 0.0L30.0 0.0',
    dots: 'M0.0 0.0h0M10.0 0.0h0M20.0 0.0h0M30.0 0.0h0M40.0 0.0h0',
  });
});
