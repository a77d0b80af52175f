import { expect, test } from 'vitest';
import { emergencyClass } from './emergency.ts';

test('a known emergency is matched exactly; a similar value is shown as text, without a ring', () => {
  for (const state of ['general', 'nordo', 'unlawful', 'emergency']) expect(emergencyClass(state)).toBe('emergency');
  for (const state of ['General', 'generals', ' general', '7700', 'no emergency', 'kraken', '']) {
    expect(emergencyClass(state)).toBe('as-text');
  }
});

test('unknown and unreported states have no ring', () => {
  for (const state of ['unknown', 'none', undefined]) expect(emergencyClass(state)).toBe('quiet');
});
