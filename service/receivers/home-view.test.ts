import { expect, test } from 'vitest';
import { boxView } from './home-view.ts';

test.each([
  ['a region', { west: 5.9, south: 45.8, east: 10.5, north: 47.8 }, { lat: 46.8, lon: 8.2, zoom: 6.6 }],
  ['a box over 180°', { west: 177, south: -19, east: -177, north: -15 }, { lat: -17, lon: -180, zoom: 6.2 }],
  ['what is high and narrow', { west: 10, south: 40, east: 11, north: 60 }, { lat: 51.1, lon: 10.5, zoom: 3.8 }],
  ['a place', { west: 7.999, south: 46.999, east: 8.001, north: 47.001 }, { lat: 47, lon: 8, zoom: 10 }],
  ['the world', { west: -180, south: -90, east: 180, north: 90 }, { lat: 0, lon: 0, zoom: 2 }],
])('shows all of %s, and not too near', (_, bbox, view) => {
  expect(boxView(bbox)).toEqual(view);
});
