import { expect, test } from 'vitest';
import { preferencesSchema } from './preferences.ts';
import { chosenMap, streetMapCommand } from './region-map.ts';

test('the first map is drawn until one is chosen, also in place of one that is gone', () => {
  expect(chosenMap(['Airfield', 'Aerial'], undefined)).toBe('Airfield');
  expect(chosenMap(['Airfield', 'Aerial'], 'Aerial')).toBe('Aerial');
  expect(chosenMap(['Airfield', 'Aerial'], 'Region')).toBe('Airfield');
  expect(chosenMap(['Airfield'], null)).toBeUndefined();
  expect(chosenMap([], undefined)).toBeUndefined();
  expect(chosenMap([], 'Airfield')).toBeUndefined();
});

test('choice and dimmings are remembered; what is unreadable of them is no choice', () => {
  const kept = { map: null, mapDimming: { Airfield: 'half', 'built-in': 'strong' } };
  expect(preferencesSchema.parse(kept)).toMatchObject(kept);
  const odd = preferencesSchema.parse({ map: 7, mapDimming: { Airfield: 'pink', Aerial: 'half' } });
  expect(odd).toMatchObject({ mapDimming: { Airfield: 'none', Aerial: 'half' } });
  expect(odd.map).toBeUndefined();
  expect(preferencesSchema.parse({ mapDimming: [] }).mapDimming).toEqual({});
});

test('the command for a street map names the place that the map shows', () => {
  expect(streetMapCommand('./map fetch', { lat: 47.4567, lon: -8.5 })).toBe(
    './map fetch https://build.protomaps.com/YYYYMMDD.pmtiles --around 47.46,-8.50,60km',
  );
});
