import { expect, test } from 'vitest';
import type { FoundPlace } from '#lib/api/places-answer.ts';
import { findEntries } from './find-entries.ts';

const ZURICH: FoundPlace = {
  kind: 'airport',
  name: 'Zürich Airport',
  codes: ['LSZH', 'ZRH'],
  city: 'Zurich',
  country: 'CH',
  population: null,
  closed: false,
  major: true,
  lat: 47.458,
  lon: 8.548,
  runways: [],
};

const nothing = { text: '', coordinates: undefined, tracks: [], places: [] } as const;

test('Coordinates come first, then references that begin with the text, places, and other references', () => {
  const coordinates = { ok: true, place: { lon: 8, lat: 47 } } as const;
  const tracks = ['adsb-0-00ab1', 'adsb-0-1ab00'].map((ref) => ({ ref, isDrone: false }));
  const entries = findEntries({ text: ' 1AB', coordinates, tracks, places: [ZURICH] });
  expect(entries.map(({ title }) => title)).toEqual([
    '47.00000, 8.00000',
    '1ab00',
    'LSZH / ZRH Zürich Airport',
    '00ab1',
  ]);
  expect(new Set(entries.map(({ id }) => id)).size).toBe(4);
});

test('Coordinates that are not clear are no entry', () => {
  expect(findEntries({ ...nothing, coordinates: { ok: false, problem: 'unclear' } })).toEqual([]);
});

test.each([
  [ZURICH, 'Airport · Zurich, Switzerland'],
  [{ ...ZURICH, closed: true, codes: [] }, 'Closed airport · Zurich, Switzerland'],
  [
    { ...ZURICH, kind: 'place', name: 'Bern', city: null, codes: [], population: 121_631 },
    'Place · Switzerland · 121 631 inhabitants',
  ],
  [{ ...ZURICH, kind: 'place', city: null, codes: [], country: 'X?' }, 'Place · X?'],
] as const)('A place says what it is and where', (place, detail) => {
  const [entry] = findEntries({ ...nothing, places: [place as FoundPlace] });
  expect(entry?.detail.replace(/\s/g, ' ')).toBe(detail);
});
