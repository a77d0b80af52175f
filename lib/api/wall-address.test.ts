import { expect, test } from 'vitest';
import { formatWall, parseWall, requestsPerHour, WALL_VIEWS_MAX, wallQuery } from './wall-address.ts';

const HOME = { lat: 46.9, lon: 8.4, zoom: 8, bearingDeg: 0 };
const ids = Array.from({ length: 9 }, (_, index) => `id-${index}`);

test('an address without the parameter is no wall', () => {
  expect(parseWall('?view=47,8,9', '', HOME)).toBeUndefined();
});

test('shows the view of the address, else the start view, else the home, one level farther out', () => {
  const queries = [
    parseWall('?wall&view=47,8,9&layers=rid', '?view=1,2,3', HOME),
    parseWall('?wall=', '?view=1,2,3', HOME),
    parseWall('?wall', '', HOME),
  ].map((wall) => [wall?.query, wall?.back]);
  expect(queries).toEqual([
    ['?view=47,8,8&layers=rid', '/?view=47,8,9&layers=rid'],
    ['?view=1,2,2', '/?view=1,2,3'],
    ['?view=46.9,8.4,7', '/'],
  ]);
});

test('limits how many views it shows and how often it turns, whatever the address says', () => {
  expect(parseWall(`?wall&views=${ids}&every=1`, '', HOME)).toMatchObject({
    views: ids.slice(0, WALL_VIEWS_MAX),
    everyS: 60,
  });
  expect(parseWall('?wall&views=a,a,,b&every=30&theme=blue', '', HOME)).toMatchObject({
    views: ['a', 'b'],
    everyS: 30,
    theme: undefined,
  });
});

test('never shows the past, and says that the address named it', () => {
  const past = '?view=47,8,9&from=2026-11-20T10:00:00Z&to=2026-11-20T11:00:00Z';
  expect(parseWall(`${past}&wall`, '', HOME)).toMatchObject({
    query: '?view=47,8,8',
    back: '/?view=47,8,9',
    wasPast: true,
  });
  expect(wallQuery(past)).toBe('?view=47,8,8');
  expect(wallQuery('?layers=rid')).toBe('?layers=rid');
});

test('an address that it writes is read as the same wall', () => {
  const address = formatWall({ views: ['a', 'b'], everyS: 120, theme: 'dark' }, '?view=47,8,9&layers=rid');
  expect(address).toBe('/?wall&view=47,8,9&layers=rid&views=a,b&every=120&theme=dark');
  expect(parseWall(address.slice(1), '', HOME)).toMatchObject({
    views: ['a', 'b'],
    everyS: 120,
    theme: 'dark',
    query: '?view=47,8,8&layers=rid',
  });
  expect(formatWall({ views: [], everyS: 60, theme: undefined }, '')).toBe('/?wall');
});

test('the price counts the layers of each view at each turn', () => {
  expect(requestsPerHour(['?view=1,2,3', '?view=1,2,3&layers=rid'], 60)).toBe(90);
});
