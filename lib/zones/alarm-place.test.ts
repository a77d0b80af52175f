import { expect, test } from 'vitest';
import { alarmPlace, heightText, placeText, raisedAt } from './alarm-place.ts';

const at = (longitude: number, latitude: number) => ({ longitude, latitude });
const RUNWAY = { name: '14/32', line: [[8.5, 47.5] as [number, number], [8.6, 47.4] as [number, number]] };
const CORRIDOR = { type: 'Corridor', line: RUNWAY.line, half_width_m: 5000 } as const;
const CIRCLE = { type: 'Circle', centre: [8.5, 47.4] as [number, number], radius_m: 2000 } as const;
const textOf = (...[place, zone]: Parameters<typeof alarmPlace>) => placeText(alarmPlace(place, zone), 'metric');

test('measures from the nearest place of the runway that the zone was made of', () => {
  const zone = { shape: CORRIDOR, landmark: RUNWAY };
  expect(textOf(at(8.5, 47.53), zone)).toBe('3.3 km N of 14/32');
  expect(textOf(at(8.63, 47.4), zone)).toBe('2.3 km E of 14/32');
  expect(textOf(at(8.55, 47.45), zone)).toBe('at 14/32');
  expect(placeText(alarmPlace(at(8.5, 47.53), zone), 'aviation', true)).toBe('1.8 nm N of 14/32 (000° true)');
});

test('says so where it measures from the centre or the edge', () => {
  expect(textOf(at(8.49, 47.39), { shape: CIRCLE, landmark: null })).toBe('1.3 km SW of the centre');
  expect(textOf(at(8.5, 47.4), { shape: CIRCLE, landmark: null })).toBe('at the centre');
  expect(textOf(at(8.55, 47.45), { shape: CORRIDOR, landmark: null })).toBe('5.0 km inside the edge');
  const square = [
    [8, 47],
    [9, 47],
    [9, 48],
    [8, 48],
    [8, 47],
  ] as [number, number][];
  const polygon = { shape: { type: 'Polygon' as const, coordinates: [square] }, landmark: null };
  expect(textOf(at(8.5, 46.99), polygon)).toBe('1.1 km outside the edge');
});

test('crosses 180° by the shorter way', () => {
  const landmark = { name: 'Tower', line: [[179.99, 0] as [number, number]] };
  const place = alarmPlace(at(-179.99, 0), { shape: { ...CIRCLE, centre: [179.99, 0] }, landmark });
  expect(placeText(place, 'metric')).toBe('2.2 km E of Tower');
});

test('names the field of a height, and makes no number of one that is not known', () => {
  const both = { height_agl_m: 71.4, altitude_m: 500 };
  expect(heightText(both, 'metric')).toBe('71 m above ground');
  expect(heightText({ ...both, height_agl_m: 0 }, 'metric')).toBe('0 m above ground');
  expect(heightText({ ...both, height_agl_m: null }, 'aviation')).toBe('altitude 1640 ft, datum not stated');
  expect(heightText({ height_agl_m: null, altitude_m: null }, 'metric')).toBe('height not reported');
});

test('takes the latest position of the track that the alarm is about', () => {
  const evidence = ['a', 'b', 'a', 'b'].map((public_track_id, index) => ({ public_track_id, index }));
  expect(raisedAt({ track: 'a', evidence })?.index).toBe(2);
  expect(raisedAt({ track: null, evidence })?.index).toBe(3);
  expect(raisedAt({ track: 'a', evidence: [] })).toBeUndefined();
});
