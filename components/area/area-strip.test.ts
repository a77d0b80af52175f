import { expect, test } from 'vitest';
import { NOTHING_DRAWN, startDrawing } from '#lib/client/area/drawing-state.ts';
import { drawingHint, placesText, readCircle, readPolygon } from './area-strip.tsx';

const CIRCLE = { kind: 'circle', centre: { lon: 8.548, lat: 47.458 }, radiusM: 1200 } as const;

test('reads a circle and a polygon in the notations of a place', () => {
  for (const centre of ['47.458, 8.548', '47.458 N 8.548 E']) {
    for (const radius of ['1200', '1200 m', '1200,0']) expect(readCircle(centre, radius)).toEqual({ area: CIRCLE });
  }
  const corners = '47.4, 8.5; 47.4, 8.6; 47.5, 8.6';
  const { area } = readPolygon(corners);
  expect(area).toMatchObject({ kind: 'polygon', corners: [{ lat: 47.4 }, { lat: 47.4 }, { lat: 47.5, lon: 8.6 }] });
  expect(area && readPolygon(placesText(area))).toEqual({ area });
  expect(readCircle(placesText(CIRCLE), '1200')).toEqual({ area: CIRCLE });
});

test('says which text is no area', () => {
  expect(readCircle('here', '1200').problem).toMatch(/centre/);
  for (const radius of ['', 'far']) expect(readCircle('47.458, 8.548', radius).problem).toMatch(/metres/);
  expect(readPolygon('47.4, 8.5; there').problem).toMatch(/“there”/);
});

test('says what to do next for each tool', () => {
  expect(drawingHint(NOTHING_DRAWN)).toBe('');
  const hints = (['circle', 'polygon', 'change'] as const).map((tool) => drawingHint(startDrawing(tool)));
  expect(new Set(hints).size).toBe(3);
});
