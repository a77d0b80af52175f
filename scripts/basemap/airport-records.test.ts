import { describe, expect, test } from 'vitest';
import { destination } from '#lib/geo/great-circle.ts';
import { isConsistent, type RunwayRecord, readAirports } from './airport-records.ts';

const airport = { lon: 8.55, lat: 47.46 };

function runway(lengthM: number, drawnM: number, awayM = 0): RunwayRecord {
  const a = destination(airport, 90, awayM);
  const b = destination(a, 155, drawnM);
  return {
    airportId: 1,
    lengthM,
    widthM: 45,
    ends: [
      { ident: '16', ...a },
      { ident: '34', ...b },
    ],
  };
}

describe('a runway', () => {
  test.each([
    ['is drawn if its ends are as far apart as its length', runway(3700, 3702), true],
    ['is drawn if the ends are the thresholds', runway(3700, 3200), true],
    ['is not drawn if it is stated to be much longer', runway(3700, 2300), false],
    ['is not drawn if both ends are one point', runway(800, 0), false],
    ['is not drawn far from its airport', runway(3700, 3700, 20_000), false],
  ])('%s', (_, record, expected) => {
    expect(isConsistent(record, airport)).toBe(expected);
  });
});

test('an identifier of the source that is no code of aviation is not shown as one', () => {
  const byName = (name: string) => readAirports().find((record) => record.name === name);
  expect(byName('Zürich Airport')).toMatchObject({ icao: 'LSZH', iata: 'ZRH', kind: 'large' });
  expect(byName('Zürich Waid City Hospital Heliport')).toMatchObject({
    icao: undefined,
    local: undefined,
    kind: 'heliport',
  });
  expect(byName('Hanes Airport')).toMatchObject({ icao: undefined, local: '3WA2' });
  expect(byName('Berlin-Tegel Otto Lilienthal International Airport')).toMatchObject({
    icao: undefined,
    kind: 'closed',
  });
});
