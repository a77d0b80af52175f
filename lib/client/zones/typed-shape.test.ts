import { expect, test } from 'vitest';
import { shapePlaces, typedShape } from './typed-shape.ts';

const CORNERS = '47.4, 8.5\n47.4, 8.6\n47.5, 8.6';

test('reads each type of shape, and writes places that read as the same shape', () => {
  for (const [type, text] of [
    ['Polygon', CORNERS],
    ['Circle', '47.458, 8.548'],
    ['Corridor', '47.4, 8.5; 47.5, 8.6'],
  ] as const) {
    const { shape, problem } = typedShape(type, text, 800);
    expect(problem).toBeUndefined();
    expect(shape && typedShape(type, shapePlaces(shape), 800).shape).toEqual(shape);
  }
});

test('reads degrees and minutes, and MGRS', () => {
  const { shape } = typedShape('Corridor', `47°27'29"N 8°32'53"E; 32TMT6591655989`, 500);
  expect(shape).toMatchObject({ type: 'Corridor', half_width_m: 500 });
});

test('says what is missing or unreadable', () => {
  expect(typedShape('Polygon', '47.4, 8.5; 47.4, 8.6', 0).problem).toMatch(/three corners/);
  expect(typedShape('Corridor', '47.4, 8.5', 0).problem).toMatch(/two places/);
  expect(typedShape('Circle', '', 100).problem).toMatch(/centre/);
  expect(typedShape('Circle', CORNERS, 100).problem).toMatch(/one place/);
  expect(typedShape('Polygon', '47.4, 8.5; there', 0).problem).toMatch(/“there”/);
});
