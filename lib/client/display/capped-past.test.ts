import { expect, test } from 'vitest';
import { CappedPast } from './capped-past.ts';

const loaded = { west: 7, south: 46, east: 9, north: 48 };
const tall = { west: 7.5, south: 45.9, east: 8.5, north: 48.1 };
const lower = { west: tall.west + 1e-9, south: 46.1, east: tall.east - 1e-9, north: 47.9 };

test('a map that shrinks to make room for the notice stays capped, until it is moved, zoomed or reloaded', () => {
  const past = new CappedPast();
  expect(past.isCapped(loaded, lower)).toBe(false);
  expect(past.isCapped(loaded, tall)).toBe(true);
  expect(past.isCapped(loaded, lower)).toBe(true);
  expect(past.isCapped(loaded, lower)).toBe(true);
  expect(past.isCapped({ ...loaded, north: 49 }, lower)).toBe(false);
  expect(past.isCapped(loaded, tall)).toBe(true);
  expect(past.isCapped(loaded, { ...lower, west: 7.6, east: 8.6 })).toBe(false);
  expect(past.isCapped(loaded, lower)).toBe(false);
});

test('a map that shows nothing yet is cut', () => {
  expect(new CappedPast().isCapped(loaded, undefined)).toBe(true);
});
