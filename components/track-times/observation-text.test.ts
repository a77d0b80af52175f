import { describe, expect, test } from 'vitest';
import { observationText } from './observation-text.ts';
import { historyOf } from './track-history.fixture.ts';

const tenMs = Date.parse('2026-11-21T10:00:00Z');

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
