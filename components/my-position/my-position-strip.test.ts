import { describe, expect, test } from 'vitest';
import { localInstant } from '#lib/time/instant.ts';
import { myPositionText, nearLimitText } from './my-position-strip.tsx';

const mine = { kind: 'known', lon: 8.5, lat: 47.4, accuracyM: 11.4, at: localInstant(1000) } as const;
const here = { west: 8, south: 47, east: 9, north: 48 };

describe('the text of my position', () => {
  test('has its accuracy, rounded up, and its age', () => {
    expect(myPositionText(mine, localInstant(4000), 'metric')).toBe('±12 m · 3 s ago');
    expect(myPositionText(mine, localInstant(4000), 'aviation')).toBe('±38 ft · 3 s ago');
  });

  test.each(['denied', 'unavailable', 'insecure', 'asking'] as const)('says in a sentence that it is %s', (kind) => {
    expect(myPositionText({ kind }, localInstant(0), 'metric')).toMatch(/^[A-Z].{20,}[.…]$/);
  });
});

describe('what the list of near drones cannot show', () => {
  const all = { layerOn: true, covered: [here], isPast: false };

  test('is nothing inside the requested area', () => {
    expect(nearLimitText(mine, all)).toBeUndefined();
  });

  test.each([
    ['the layer is off', { ...all, layerOn: false }, /layer is off/],
    ['elsewhere is requested', { ...all, covered: [{ ...here, west: 8.6 }] }, /outside the requested area/],
    ['nothing is requested yet', { ...all, covered: [] }, /outside the requested area/],
    ['elsewhere is replayed', { ...all, covered: [], isPast: true }, /outside the replayed area/],
  ])('has a sentence if %s', (_, limits, text) => {
    expect(nearLimitText(mine, limits)).toMatch(text);
  });
});
