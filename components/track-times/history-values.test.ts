import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { historyColumns, historySentence, observationText } from './history-values.ts';
import { anyHistory, historyOf } from './track-history.fixture.ts';

describe('historyColumns', () => {
  test('unreported values are null, and 0 stays 0', () => {
    const history = historyOf('aircraft', [
      { atMs: 0, altitudeM: 0, speedMps: 80 },
      { atMs: 5000, altitudeM: 10 },
      { atMs: 10_000, speedMps: 0 },
    ]);
    expect(historyColumns(history, 'metric')).toEqual({
      vertical: 'altitude',
      atMs: [0, 5000, 10_000],
      verticals: [0, 10, null],
      speeds: [80, null, 0],
    });
  });

  test('joins aircraft over up to 30 s, drones over up to 10 s', () => {
    const speedMps = 1;
    const atMs = (kind: 'aircraft' | 'drone', apartMs: number) =>
      historyColumns(
        historyOf(kind, [
          { atMs: 0, speedMps },
          { atMs: apartMs, speedMps },
        ]),
        'metric',
      ).atMs;
    expect(atMs('aircraft', 30_000)).toEqual([0, 30_000]);
    expect(atMs('aircraft', 30_002)).toEqual([0, 15_001, 30_002]);
    expect(atMs('drone', 10_000)).toEqual([0, 10_000]);
    expect(atMs('drone', 10_002)).toEqual([0, 5001, 10_002]);
  });

  test('uses height alone for a drone that reported any height above ground', () => {
    const history = historyOf('drone', [
      { atMs: 0, altitudeM: 500 },
      { atMs: 1000, altitudeM: 501, heightAglM: 40 },
    ]);
    expect(historyColumns(history, 'metric')).toMatchObject({ vertical: 'height', verticals: [null, 40] });
  });

  test('uses altitude for a drone without heights, and for every aircraft', () => {
    expect(historyColumns(historyOf('drone', [{ atMs: 0, altitudeM: 500 }]), 'metric')).toMatchObject({
      vertical: 'altitude',
      verticals: [500],
    });
    expect(
      historyColumns(historyOf('aircraft', [{ atMs: 0, altitudeM: 500, heightAglM: 40 }]), 'metric'),
    ).toMatchObject({ vertical: 'altitude', verticals: [500] });
  });

  test('values are in the operator’s units', () => {
    const { verticals, speeds } = historyColumns(
      historyOf('aircraft', [{ atMs: 0, altitudeM: 304.8, speedMps: 1852 / 3600 }]),
      'aviation',
    );
    expect(verticals[0]).toBeCloseTo(1000);
    expect(speeds[0]).toBeCloseTo(1);
  });
});

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
