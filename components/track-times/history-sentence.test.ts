import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { historySentence } from './history-sentence.ts';
import { anyHistory, historyOf } from './track-history.fixture.ts';

const tenMs = Date.parse('2026-11-21T10:00:00Z');

describe('historySentence', () => {
  test('names both spans, their units and the times', () => {
    const history = historyOf('aircraft', [
      { atMs: tenMs, altitudeM: 1210, speedMps: 81 },
      { atMs: tenMs + 5000, altitudeM: 430.25, speedMps: 20 },
    ]);
    expect(historySentence(history, 'metric', 'utc')).toBe(
      '2 positions, received 10:00:00Z to 10:00:05Z. Altitude (reference not stated): 430.3 m to 1210 m. Ground speed: 20 m/s to 81 m/s.',
    );
  });

  test('a single value is written once, and missing values are called not reported', () => {
    expect(historySentence(historyOf('drone', [{ atMs: tenMs, heightAglM: 30.48 }]), 'aviation', 'utc')).toBe(
      '1 position, received at 10:00:00Z. Height above ground, estimated: 100 ft. Ground speed: not reported.',
    );
  });

  test('is free of NaN and infinities, whatever was reported', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        expect(historySentence(history, 'imperial', 'utc')).not.toMatch(/NaN|Infinity|undefined/);
      }),
    );
  });
});
