import { describe, expect, test } from 'vitest';
import { parseCoordinates } from './parse-coordinates.ts';

const ZURICH = { lat: 47.4581, lon: 8.5481 };

describe('coordinates are read', () => {
  test.each([
    '47.4581, 8.5481',
    '47.4581 8.5481',
    '47.4581,8.5481',
    '47.4581; 8.5481',
    '47.4581/8.5481',
    '+47.4581 +8.5481',
    'geo:47.4581,8.5481',
    '47,4581 8,5481',
    'N47.4581 E8.5481',
    '47.4581N 8.5481E',
    '47.4581°N, 8.5481°E',
    '47.4581 n 8.5481 e',
    '8.5481E 47.4581N',
    'E 8.5481, N 47.4581',
    '47°27\'29.16"N 8°32\'53.16"E',
    '47° 27′ 29.16″ N, 8° 32′ 53.16″ E',
    "47°27'29.16''N 8°32'53.16''E",
    'N 47° 27.486 E 008° 32.886',
    '47 27 29.16 8 32 53.16',
    '47 27.486, 8 32.886',
    '472729.16N 0083253.16E',
    '32TMT6593856172',
    '32T MT 65938 56172',
    '32tmt 65938 56172',
  ])('%s', (text) => {
    const reading = parseCoordinates(text);
    expect(reading).toMatchObject({ ok: true });
    if (!reading?.ok) return;
    expect(Math.abs(reading.place.lat - ZURICH.lat)).toBeLessThan(0.00002);
    expect(Math.abs(reading.place.lon - ZURICH.lon)).toBeLessThan(0.00002);
  });

  test.each([
    ['-33.9, 151.2', { lat: -33.9, lon: 151.2 }],
    ['33.9S 70.5W', { lat: -33.9, lon: -70.5 }],
    ['-0 30 0, -0 30 0', { lat: -0.5, lon: -0.5 }],
    ['90, 0', { lat: 90, lon: 0 }],
    ['0, 180', { lat: 0, lon: -180 }],
    ['4727N 00832E', { lat: 47.45, lon: 8 + 32 / 60 }],
    ['47 8', { lat: 47, lon: 8 }],
  ])('%s', (text, place) => {
    expect(parseCoordinates(text)).toEqual({ ok: true, place });
  });
});

describe('reports ambiguous input', () => {
  test.each([
    ['47 27 8', 'Not clear'],
    ['47,45,8,54', 'Not clear'],
    ['47 27 29 30 8 32 53', 'Not clear'],
    ['120.5, 45.2', 'no latitude'],
    ['47, 181', 'no longitude'],
    ['47N 8', 'for both'],
    ['47N 8N', 'One of N or S'],
    ['47N 8O', 'O can mean'],
    ['-47N 8E', 'not both'],
    ['47 60 0, 8 0 0', '0 to 59'],
    ['47 -27 0, 8 0 0', '0 to 59'],
    ['47.5 27 0, 8 0 0', 'last'],
    ['47°27"N 8°32"E', 'Not clear'],
    ['32TMT659375621', 'same number of digits'],
    ['32TAA6593856172', 'no square'],
    ['99TMT6593856172', 'no square'],
    ['ZAH 12345 12345', 'UPS'],
  ])('%s', (text, problem) => {
    expect(parseCoordinates(text)).toEqual({ ok: false, problem: expect.stringContaining(problem) });
  });
});

test.each([
  '',
  '   ',
  'Zürich',
  'LSZH',
  'N',
  '4758',
  '47.4581',
  'Runway 16',
  '1F2BC',
  '9'.repeat(200),
  'E8',
  '32TMT',
  '12 Apostles',
  'SE1 9GF',
])('%j is no attempt at coordinates', (text) => {
  expect(parseCoordinates(text)).toBeUndefined();
});

test('MGRS agrees with published references', () => {
  // The Eiffel tower: 48°51'29.6"N 2°17'40.2"E is UTM 31N 448252 5411933.
  const reading = parseCoordinates('31U DQ 48252 11933');
  expect(reading).toMatchObject({ ok: true });
  if (!reading?.ok) return;
  expect(reading.place.lat).toBeCloseTo(48.85822, 4);
  expect(reading.place.lon).toBeCloseTo(2.2945, 4);
});
