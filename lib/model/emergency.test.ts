import { expect, test } from 'vitest';
import { emergencyClass } from './emergency.ts';

test('a known emergency is matched exactly; one digit or letter off is text and not a ring', () => {
  for (const state of ['general', 'nordo', 'unlawful', 'emergency']) expect(emergencyClass(state)).toBe('emergency');
  for (const state of ['General', 'generals', ' general', '7700', 'no emergency', 'kraken', '']) {
    expect(emergencyClass(state)).toBe('as-text');
  }
});

test('unknown and not reported raise no ring', () => {
  for (const state of ['unknown', 'none', undefined]) expect(emergencyClass(state)).toBe('quiet');
});
