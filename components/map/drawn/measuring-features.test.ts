import { expect, test } from 'vitest';
import { measuringReading } from '#lib/client/measuring/measuring.ts';
import { type MeasuringState, NOTHING_MEASURED } from '#lib/client/measuring/measuring-state.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import { measuringFeatures } from './drawn-measuring.tsx';

function features(state: Partial<MeasuringState>, expired = false) {
  const trackOf = () => ({ position: plainPosition, expired });
  const reading = measuringReading(
    { ...NOTHING_MEASURED, ...state },
    { isPast: false, trackOf, lastOf: () => undefined },
  );
  return measuringFeatures(reading, 'metric', [1, 10]).features;
}
const kinds = (...args: Parameters<typeof features>) => features(...args).map(({ properties }) => properties.kind);

const place = { lon: 8, lat: 47 };

test('a leg has a line and a label, a place a point; a track is its own mark', () => {
  expect(kinds({ points: [{ place }, { ref: 'AAA' }] })).toEqual([
    'leg',
    'leg-label',
    'point',
    'point-label',
    'point-label',
  ]);
});

test('each range ring is labelled with its radius', () => {
  const labels = features({ ringPlace: place, ringRef: 'AAA' }).filter(
    ({ properties }) => properties.kind === 'ring-label',
  );
  expect(labels.map(({ properties }) => properties.text)).toEqual(['1 km', '10 km', '1 km', '10 km']);
});

test('a leg to an expired track is drawn as old', () => {
  const old = (expired: boolean) => features({ points: [{ place }, { ref: 'AAA' }] }, expired)[0]?.properties.old;
  expect([old(false), old(true)]).toEqual([false, true]);
});

test('a label of a ring over the pole is at its foot, on the map', () => {
  const [label] = features({ ringPlace: { lon: 0, lat: 85 } }).filter(
    ({ properties }) => properties.kind === 'ring-label',
  );
  expect(label?.geometry.type === 'Point' && (label.geometry.coordinates[1] ?? 90) < 85).toBe(true);
});
