import { expect, test } from 'vitest';
import { referencePoint } from './use-track-list.ts';

const middle = { lon: 1, lat: 1 };
const marked = { lon: 2, lat: 2, name: undefined };
const ring = {
  ref: undefined,
  status: 'place',
  at: { lon: 3, lat: 3 },
  simulated: false,
  testBroadcast: false,
} as const;
const track = { ...ring, ref: 'RX-A-7F3A1', status: 'current', at: { lon: 4, lat: 4 } } as const;

test('distances are from the marked place, else the rings’ place or track, else the middle of the map, by name', () => {
  const named = (...args: Parameters<typeof referencePoint>) => {
    const { at, name } = referencePoint(...args);
    return [at.lon, name];
  };
  expect(named({ ...marked, name: 'Zürich' }, [ring, track], middle)).toEqual([2, 'Zürich']);
  expect(named(marked, [ring, track], middle)).toEqual([2, 'the marked place']);
  expect(named(undefined, [ring, track], middle)).toEqual([3, 'the range rings']);
  expect(named(undefined, [track], middle)).toEqual([4, 'track 7F3A1']);
  expect(named(undefined, [{ ...track, status: 'unseen', at: undefined }], middle)).toEqual([
    1,
    'the middle of the map',
  ]);
});
