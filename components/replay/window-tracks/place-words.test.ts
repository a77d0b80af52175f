import { expect, test } from 'vitest';
import type { FoundPlace } from '#lib/api/places-answer.ts';
import { polygonOf } from '#lib/geo/area.ts';
import { destination } from '#lib/geo/great-circle.ts';
import { placeInWords } from './place-words.ts';

const place = (kind: FoundPlace['kind'], name: string, lon: number, lat: number, more: Partial<FoundPlace> = {}) => ({
  kind,
  name,
  lon,
  lat,
  codes: [],
  city: null,
  country: 'CH',
  population: null,
  closed: false,
  major: true,
  runways: [],
  ...more,
});
const ZURICH = place('airport', 'Zürich Airport', 8.548056, 47.458056, {
  codes: ['LSZH', 'ZRH'],
  runways: [
    {
      name: '10/28',
      ends: [
        [8.535, 47.4589],
        [8.5708, 47.4567],
      ],
    },
    {
      name: '14/32',
      ends: [
        [8.536, 47.482],
        [8.565, 47.461],
      ],
    },
  ],
});
const WIL = place('place', 'Wil', 9.05, 47.46);
const MIDDLE_14_32 = { lon: 8.5505, lat: 47.4715 };
const circle = (centre: { lon: number; lat: number }, radiusM = 1350) => ({ kind: 'circle', centre, radiusM }) as const;

test('a circle over a runway is around it, and one outside has its distance and direction', () => {
  expect(placeInWords(circle(MIDDLE_14_32), [ZURICH, WIL], 'metric')).toBe('1.35 km around LSZH 14/32');
  expect(placeInWords(circle(MIDDLE_14_32), [ZURICH], 'aviation')).toBe('0.73 nm around LSZH 14/32');
  const away = destination(ZURICH, 45, 5000);
  expect(placeInWords(circle(away, 800), [ZURICH, WIL], 'metric')).toBe('800 m, 5.00 km NE of LSZH Zürich Airport');
});

test('far from an airport the nearest town names it, and without one its coordinates', () => {
  const near = destination(WIL, 270, 2100);
  expect(placeInWords(circle(near, 500), [ZURICH, WIL], 'metric')).toBe('500 m, 2.10 km W of Wil');
  expect(placeInWords(circle({ lon: -140, lat: 0.5 }), [], 'metric')).toBe('1.35 km around 0.5000, -140.0000');
});

test('a polygon has its width and height', () => {
  const { lon, lat } = MIDDLE_14_32;
  const area = polygonOf([
    { lon: lon - 0.01, lat: lat - 0.005 },
    { lon: lon + 0.01, lat: lat - 0.005 },
    { lon, lat: lat + 0.005 },
  ]);
  expect(placeInWords(area, [ZURICH], 'metric')).toBe('Area of 1.50 km × 1.11 km around LSZH 14/32');
});
