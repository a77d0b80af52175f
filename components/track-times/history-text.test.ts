import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { historySentence, observationText } from './history-text.ts';
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

describe('observationText', () => {
  test('gives the observation’s own values, in the operator’s units', () => {
    const history = historyOf('aircraft', [
      { atMs: tenMs, altitudeM: 1, speedMps: 1 },
      { atMs: tenMs + 1000, altitudeM: 304.8, speedMps: 0 },
    ]);
    expect(observationText(history, 1, 'aviation', 'utc')).toEqual({
      time: '10:00:01Z',
      vertical: '1000 ft',
      speed: '0 kt',
    });
  });

  test('says what was not reported, and takes nothing from neighbours', () => {
    const history = historyOf('drone', [{ atMs: tenMs, heightAglM: 5, speedMps: 3 }, { atMs: tenMs + 1000 }]);
    expect(observationText(history, 1, 'metric', 'utc')).toEqual({
      time: '10:00:01Z',
      vertical: 'height not reported',
      speed: 'speed not reported',
    });
  });
});
