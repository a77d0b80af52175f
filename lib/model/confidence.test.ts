import { expect, test } from 'vitest';
import { CONFIDENCE_CLASSES, confidenceClass } from './confidence.ts';

test('a label that nobody here knows, and none at all, are neutral and not the nearest known one', () => {
  for (const label of [undefined, '', 'Single', 'multi', 'seven_stations', '__proto__', 'constructor']) {
    expect(confidenceClass(label)).toBe('neutral');
  }
});

test('the labels that the contract names have a class each', () => {
  const classes = ['multi_station', 'single', 'inconsistent', 'stale'].map(confidenceClass);
  expect(new Set([...classes, 'neutral'])).toEqual(new Set(CONFIDENCE_CLASSES));
});
