import { expect, test } from 'vitest';
import type { RefreshedArea } from '#lib/client/status/status-query.ts';
import { homeCountText, homeEmergencyText, homePriceText, isInView } from './home-area.tsx';

const none = { real: 0, simulated: 0, test: 0 };
const home = { west: 8, south: 47, east: 9, north: 48 };
const area = (west: number, cost: number, intervalMs: number | undefined) =>
  ({ bbox: { ...home, west, east: west + 1 }, cost, intervalMs }) as RefreshedArea;

test('simulated positions are counted apart, and 0 is a number', () => {
  const counts = { aircraft: { ...none, real: 24 }, drone: { ...none, simulated: 2 }, emergencies: none };
  expect(homeCountText(counts)).toBe('Home: 24 aircraft · 2 simulated drones');
  expect(homeCountText({ ...counts, drone: none })).toBe('Home: 24 aircraft · 0 drones');
  expect(homeEmergencyText(counts)).toBeUndefined();
  expect(homeEmergencyText({ ...counts, emergencies: { ...none, real: 1 } })).toBe('1 emergency');
  expect(homeEmergencyText({ ...counts, emergencies: { ...none, real: 1, simulated: 1 } })).toBe(
    '1 + 1 simulated emergencies',
  );
});

test('the price is of the areas that are read for it, each at its own interval', () => {
  const areas = [area(8, 2, 5000), area(7.5, 1, 60_000), area(20, 9, 1000)];
  expect(homePriceText(home, true, areas)).toContain('1\u202f500 requests an hour');
  expect(homePriceText(home, true, undefined)).not.toMatch(/\d/);
  expect(homePriceText(home, false, areas)).not.toMatch(/\d/);
});

test('it is counted apart unless the map shows all of it', () => {
  expect(isInView(home, { west: 7, south: 46, east: 10, north: 49 })).toBe(true);
  expect(isInView(home, { west: 8.5, south: 46, east: 10, north: 49 })).toBe(false);
  expect(isInView(home, undefined)).toBe(false);
});
