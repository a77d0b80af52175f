import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMs } from '#lib/time/instant.ts';
import { observation } from '../conformance/listed-source.ts';
import type { Observation } from '../sources/observation.ts';
import { alongMs, at, feedOf, keyOf, Picture, WORLD } from './fusion/fusion.fixture.ts';
import { LatestObservations } from './latest-observations.ts';

const bySource = (observations: readonly Observation[]) =>
  observations.toSorted((a, b) => (a.sourceId < b.sourceId ? -1 : 1));

const heard = fc.record({
  afterMs: fc.oneof(fc.nat(2000), fc.nat(40_000)),
  feed: fc.constantFrom(feedOf('a'), feedOf('b'), feedOf('played', { simulated: true })),
  track: fc.nat(3),
  layer: fc.constantFrom('adsb' as const, 'rid' as const),
});
const box = fc.constantFrom(
  WORLD,
  { west: 8, south: 47, east: 8.6, north: 48 },
  { west: 8.6, south: 47, east: 9, north: 48 },
);

test('whoever reads what fusion gave has live what fusion has, at each moment and in each box', () => {
  fc.assert(
    fc.property(fc.array(heard, { minLength: 1, maxLength: 40 }), box, fc.nat(70_000), (events, bbox, laterMs) => {
      const picture = new Picture();
      const latest = new LatestObservations();
      let ms = 0;
      const compare = (nowMs: number) => {
        // As they are read back: by track, not by time.
        latest.add(bySource(picture.settle(nowMs)), at(nowMs));
        for (const layer of ['adsb', 'rid'] as const) {
          const ofFusion = picture.fusion.live(layer, bbox, at(nowMs));
          expect(bySource(latest.live(layer, bbox, at(nowMs)))).toEqual(bySource(ofFusion));
        }
      };
      for (const { afterMs, feed, track, layer } of events) {
        ms += afterMs;
        picture.receive(feed, ms, { layer, trackKey: keyOf(track), ...alongMs(ms + track * 1000) });
        compare(ms + 1600);
      }
      compare(ms + 1600 + laterMs);
    }),
  );
});

test('what a clock that is a little ahead has observed is as new as can be; what is far ahead is not live', () => {
  const latest = new LatestObservations();
  const ahead = (ms: number) => observation({ observedAt: addMs(at(0), ms), confidence: 'single' });
  latest.add([ahead(1500)], at(0));
  expect(latest.live('adsb', WORLD, at(0))).toEqual([ahead(1500)]);
  latest.add([ahead(60_000)], at(0));
  expect(latest.live('adsb', WORLD, at(0))).toEqual([]);
  // The clock of whoever records was set back: what it says now counts.
  latest.add([ahead(-1000)], at(0));
  expect(latest.live('adsb', WORLD, at(0))).toEqual([ahead(-1000)]);
});
