import { describe, expect, test } from 'vitest';
import { historyColumns } from './history-columns.ts';
import { historyOf } from './track-history.fixture.ts';

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
