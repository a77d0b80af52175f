import { expect, test } from 'vitest';
import { CONFIDENCE_CLASSES, CONFIDENCE_LABELS, confidenceClass, confidenceText } from './confidence.ts';

test('unknown and missing labels are neutral, even if they resemble a known one', () => {
  for (const label of [undefined, '', 'Single', 'multi', 'seven_stations', '__proto__', 'constructor']) {
    expect(confidenceClass(label)).toBe('neutral');
  }
});

test('each label named by the contract has its own class', () => {
  const classes = ['multi_station', 'single', 'inconsistent', 'stale'].map(confidenceClass);
  expect(new Set([...classes, 'neutral'])).toEqual(new Set(CONFIDENCE_CLASSES));
});

test('shows an unknown label as received, and a missing one as missing', () => {
  expect(new Set(CONFIDENCE_LABELS.map(confidenceText)).size).toBe(CONFIDENCE_LABELS.length);
  expect(confidenceText('multi_station')).toBe('Several stations');
  expect(confidenceText('seven_stations')).toBe('seven_stations');
  expect(confidenceText(undefined)).toBeUndefined();
});
