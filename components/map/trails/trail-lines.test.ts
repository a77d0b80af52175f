import { describe, expect, test } from 'vitest';
import { altitudeRgb, type MapTheme } from '#lib/model/altitude-colour.ts';
import { epochMs } from '#lib/time/instant.ts';
import { SelectedPath } from './replay-trails.ts';
import { HOUR, storeWith } from './track-store.fixture.ts';
import { drawnLines } from './trail-lines.fixture.ts';
import { type TrailLine, TrailLines } from './trail-lines.ts';

const baseMs = Date.UTC(2026, 10, 21, 10);
const line: TrailLine = {
  fromX: 0.5,
  fromY: 0.25,
  toX: 0.6,
  toY: 0.75,
  fromMs: baseMs + 3_599_999,
  untilMs: baseMs + 3_600_001,
  rgb: [0, 0.5, 1],
  lightRgb: [0.2, 0, 0.4],
  shape: 'dotted',
};

describe('TrailLines', () => {
  test('stores the times of an hour to the millisecond, and places to a millionth of a pixel', () => {
    const lines = new TrailLines();
    lines.clear(baseMs);
    lines.add({ ...line, fromX: 0.123456789012, toX: 1 / 3 });
    const [drawn] = drawnLines(lines);
    expect(drawn).toMatchObject({ fromMs: line.fromMs, untilMs: line.untilMs, shape: 'dotted' });
    expect(drawn).toMatchObject({ rgb: [0, 128, 255], lightRgb: [51, 0, 102] });
    expect(drawn?.from.x).toBeCloseTo(0.123456789012, 14);
    expect(drawn?.to.x).toBeCloseTo(1 / 3, 14);
  });

  test.each([
    { fromX: 0.999, toX: 1.001, drawn: [-0.001, 0.001] },
    { fromX: 0.001, toX: -0.001, drawn: [1.001, 0.999] },
    { fromX: 3.2, toX: 3.3, drawn: [0.2, 0.3] },
  ])(
    'a line from $fromX to $toX is stored in the world copy of its end, and takes the short way',
    ({ drawn, ...ends }) => {
      const lines = new TrailLines();
      lines.add({ ...line, ...ends });
      const [{ from, to } = { from: { x: 0 }, to: { x: 0 } }] = drawnLines(lines);
      expect(from.x).toBeCloseTo(drawn[0] as number, 12);
      expect(to.x).toBeCloseTo(drawn[1] as number, 12);
    },
  );

  test('keeps its lines when it grows, and drops them when it is cleared', () => {
    const lines = new TrailLines();
    lines.clear(baseMs);
    for (let index = 0; index < 1000; index++) lines.add({ ...line, fromMs: baseMs + index });
    expect(drawnLines(lines).map(({ fromMs }) => fromMs - baseMs)).toEqual(Array.from({ length: 1000 }, (_, at) => at));
    lines.clear(baseMs);
    expect(lines.count).toBe(0);
  });
});

test('each line of a path has the colours of the altitude received at its end, as marks do', () => {
  const path = new SelectedPath();
  const store = storeWith([{ ref: 'RX-A-1', atSeconds: [0, 10], altitudeM: 3000 }]);
  storeWith([{ ref: 'RX-A-1', atSeconds: [20], altitudeM: 11_000 }], store);
  path.update(store, ['RX-A-1'], 0);
  const lineAt = (second: number) =>
    drawnLines(path.lines).find(
      ({ shape, fromMs }) => shape === 'solid' && fromMs === epochMs(HOUR.start) + second * 1000,
    );
  const bytes = (metres: number, theme: MapTheme) =>
    altitudeRgb('aircraft', metres, theme).map((channel) => Math.round(channel * 255));
  for (const [second, metres] of [
    [10, 3000],
    [20, 11_000],
  ] as const) {
    expect(lineAt(second)).toMatchObject({ rgb: bytes(metres, 'dark'), lightRgb: bytes(metres, 'light') });
  }
});
