import { describe, expect, test } from 'vitest';
import { UNKNOWN_RGB } from '#lib/model/altitude-colour.ts';
import { type Colouring, markRgb } from '#lib/model/mark-colour.ts';
import type { TrackKind } from '#lib/model/position.ts';
import { confidenceBits } from '#lib/picture/mark-style.ts';
import { makeTrackColumns } from '#lib/picture/track-columns.ts';
import { LiveTrails } from './live-trails.ts';
import { RecentTrails, SelectedPath } from './replay-trails.ts';
import { HOUR, storeWith } from './track-store.fixture.ts';
import { drawnLines } from './trail-lines.fixture.ts';
import type { TrailLines } from './trail-lines.ts';

const START_MS = Date.UTC(2026, 10, 21, 12);
const bytes = (rgb: readonly number[]) => rgb.map((channel) => Math.round(channel * 255));
const colours = (lines: TrailLines) =>
  drawnLines(lines)
    .filter(({ shape, untilMs }) => shape === 'solid' && untilMs > lines.baseMs)
    .sort((a, b) => a.fromMs - b.fromMs)
    .map(({ rgb }) => rgb);

function liveTrails(): LiveTrails {
  const trails = new LiveTrails({ maxPositions: 100, spanMs: 900_000, shows: 'recent' });
  const columns = makeTrackColumns(1);
  columns.end = 1;
  columns.used[0] = 1;
  columns.style[0] = confidenceBits('single');
  columns.altitudeM[0] = 3000;
  columns.heightAglM[0] = Number.NaN;
  const sees = (second: number, speedMps: number) => {
    columns.observedAtMs[0] = START_MS + second * 1000;
    columns.mercatorX[0] = second / 1024;
    columns.speedMps[0] = speedMps;
    const always = () => true;
    trails.follow({ columns, refAt: () => 'RX-A-0' }, always, always, START_MS + 60_000);
  };
  sees(20, 100);
  sees(30, 200);
  trails.add(
    {
      refs: ['RX-A-0'],
      starts: Uint32Array.of(0, 2),
      atMs: Float64Array.of(START_MS, START_MS + 10_000),
      mercatorX: Float64Array.of(0, 10 / 1024),
      mercatorY: Float64Array.of(0.5, 0.5),
      metres: Float64Array.of(1000, 2000),
    },
    () => 0,
  );
  return trails;
}

describe('live trails', () => {
  const inColours = (colouring: Colouring) => {
    const trails = liveTrails();
    trails.setColouring(colouring);
    return colours(trails.lines);
  };

  test('by altitude, each line has the colour of what was received at its end, kept by the server or seen', () => {
    const expected = [2000, 3000, 3000].map((metres) => bytes(markRgb('altitude', 'aircraft', metres, 'dark')));
    expect(inColours('altitude')).toEqual(expected);
    const trails = liveTrails();
    trails.setColouring('speed');
    trails.setColouring('altitude');
    expect(colours(trails.lines)).toEqual(expected);
  });

  test('by speed or confidence, what the server did not keep is grey', () => {
    const speeds = [100, 200].map((speed) => bytes(markRgb('speed', 'aircraft', speed, 'dark')));
    expect(inColours('speed')).toEqual([bytes(UNKNOWN_RGB.dark), ...speeds]);
    const single = bytes(markRgb('confidence', 'aircraft', 1, 'dark'));
    expect(inColours('confidence')).toEqual([bytes(UNKNOWN_RGB.dark), single, single]);
  });

  test('by height, an aircraft’s altitude is never taken for it; by kind, all is known', () => {
    expect(inColours('height')).toEqual(Array(3).fill(bytes(UNKNOWN_RGB.dark)));
    expect(inColours('kind')).toEqual(Array(3).fill(bytes(markRgb('kind', 'aircraft', Number.NaN, 'dark'))));
  });
});

describe('a replay’s trails', () => {
  const store = storeWith([{ ref: 'RX-A-1', atSeconds: [0, 10, 20], altitudeM: 3000 }]);

  test('change with the colouring, though nothing else changed', () => {
    const path = new SelectedPath();
    const recent = new RecentTrails();
    const atMs = Number(HOUR.start) + 30_000;
    const aircraft: ReadonlySet<TrackKind> = new Set(['aircraft']);
    for (const [step, colouring] of (['altitude', 'kind', 'height'] as const).entries()) {
      const expected = bytes(markRgb(colouring, 'aircraft', colouring === 'altitude' ? 3000 : Number.NaN, 'dark'));
      expect(path.update(store, ['RX-A-1'], step * 1000, colouring).changed).toBe(true);
      expect(path.update(store, ['RX-A-1'], step * 1000, colouring).changed).toBe(false);
      expect(colours(path.lines)).toEqual([expected, expected]);
      expect(recent.update(store, { kinds: aircraft, colouring }, atMs, step * 1000).changed).toBe(true);
      expect(colours(recent.lines)).toEqual([expected, expected]);
    }
  });
});
