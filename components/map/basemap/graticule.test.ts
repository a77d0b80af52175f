import { expect, test } from 'vitest';
import { GRATICULE_STEPS, graticule } from './basemap-style.ts';

const lines = graticule().features;

function labelled(label: string) {
  return lines.filter(({ properties }) => properties.label === label);
}

test('every line occurs once', () => {
  const places = lines.map(({ geometry }) => JSON.stringify(geometry.coordinates));
  expect(new Set(places).size).toBe(lines.length);
});

test('a line shows from the zoom of the coarsest step it belongs to', () => {
  expect(labelled('30°E')[0]!.properties.min_zoom).toBe(0);
  expect(labelled('40°N')[0]!.properties.min_zoom).toBe(2.5);
  expect(labelled('85°S')[0]!.properties.min_zoom).toBe(4.5);
  expect(labelled('7°W')[0]!.properties.min_zoom).toBe(6);
  expect(labelled('47.5°N')[0]!.properties.min_zoom).toBe(8);
  expect(labelled('8.3°E')[0]!.properties.min_zoom).toBe(10);
});

test('each step, together with those before it, draws every multiple', () => {
  for (const { stepDeg, minZoom } of GRATICULE_STEPS) {
    const meridians = lines.filter(
      ({ properties }) => properties.kind === 'meridian' && properties.min_zoom <= minZoom,
    );
    expect(meridians).toHaveLength(Math.round(360 / stepDeg));
  }
});

test('the equator, the prime meridian and 180° have no hemisphere letter', () => {
  expect(labelled('0°').map(({ properties }) => properties.kind)).toEqual(['meridian', 'parallel']);
  expect(labelled('180°')).toHaveLength(1);
});
