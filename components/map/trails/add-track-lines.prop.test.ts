import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  anyMoment,
  anyParts,
  observationColumns,
  RECORDS_WINDOW,
} from '#lib/client/replay/store/observation-columns.fixture.ts';
import { ReplayStore } from '#lib/client/replay/store/replay-store.ts';
import { mercatorY } from '#lib/geo/mercator.ts';
import { TRAIL_LIMITS } from '#lib/picture/trail-joins.ts';
import { epochMs } from '#lib/time/instant.ts';
import { floatHigh, floatLow } from '../webgl/quads.ts';
import { addTrackLines, type TrackLinesOptions } from './replay-trails.ts';
import { type DrawnLine, drawnLines } from './trail-lines.fixture.ts';
import { TrailLines } from './trail-lines.ts';

const { start, end } = RECORDS_WINDOW;
const whole = { afterMs: epochMs(start) - 1, toMs: epochMs(end) };

function storeOf(parts: Parameters<typeof observationColumns>[0][]): ReplayStore {
  const store = new ReplayStore({ window: RECORDS_WINDOW });
  for (const part of parts) store.add(observationColumns(part));
  return store;
}

function linesOf(store: ReplayStore, track: number, options: TrackLinesOptions): DrawnLine[] {
  const lines = new TrailLines();
  lines.clear(epochMs(start));
  addTrackLines(lines, store, track, options);
  return drawnLines(lines);
}

function joined(store: ReplayStore, track: number, afterMs: number, toMs: number) {
  const { solidMs, dottedMs } = TRAIL_LIMITS[store.kindOf(track)];
  const series = store.seriesOf(track);
  const received = Array.from({ length: series.count }, (_, index) => ({
    atMs: epochMs(start) + series.timeMs(index),
    y: inBuffer(store.rows.read.lat(series.row(index))),
  })).filter(({ atMs }) => atMs > afterMs && atMs <= toMs);
  const pairs = (moreThanMs: number, mostMs: number) =>
    received.slice(1).flatMap(({ atMs, y }, index) => {
      const before = received[index]!;
      const gapMs = atMs - before.atMs;
      return gapMs > moreThanMs && gapMs <= mostMs ? [[before.y, y]] : [];
    });
  return { solid: pairs(0, solidMs).sort(), dotted: pairs(solidMs, dottedMs).sort() };
}

function inBuffer(lat: number): number {
  return floatHigh(mercatorY(lat)) + floatLow(mercatorY(lat));
}

function shapes(lines: readonly DrawnLine[]) {
  const pairs = (wanted: DrawnLine['shape']) =>
    lines.filter(({ shape }) => shape === wanted).map(({ from, to }) => [from.y, to.y]);
  return { solid: pairs('solid').sort(), dotted: pairs('dotted').sort() };
}

function markSince(store: ReplayStore, track: number, atMs: number): number | undefined {
  const series = store.seriesOf(track);
  const { dottedMs } = TRAIL_LIMITS[store.kindOf(track)];
  let index = series.lastAtOrBefore(atMs - epochMs(start), 0);
  if (index < 0 || atMs - epochMs(start) - series.timeMs(index) >= dottedMs) return undefined;
  while (index > 0 && series.timeMs(index) - series.timeMs(index - 1) <= dottedMs) index--;
  return epochMs(start) + series.timeMs(index);
}

describe('addTrackLines', () => {
  test('joins exactly the successive positions up to the cursor that are close enough in time', () => {
    fc.assert(
      fc.property(anyParts, anyMoment, (parts, cursorMs) => {
        const store = storeOf(parts);
        for (let track = 0; track < store.trackCount; track++) {
          const lines = linesOf(store, track, { ...whole, dots: false });
          expect(shapes(lines.filter(({ fromMs }) => fromMs <= cursorMs))).toEqual(
            joined(store, track, epochMs(start) - 1, cursorMs),
          );
          expect(lines.every(({ untilMs }) => untilMs > epochMs(end) + 3_600_000)).toBe(true);
        }
      }),
    );
  });

  test('shows what was received within the time limit, as long as the mark is shown', () => {
    fc.assert(
      fc.property(anyParts, anyMoment, fc.integer({ min: 1, max: 120_000 }), (parts, cursorMs, keptMs) => {
        const store = storeOf(parts);
        for (let track = 0; track < store.trackCount; track++) {
          const shown = linesOf(store, track, { ...whole, keptMs, dots: false }).filter(
            ({ fromMs, untilMs }) => fromMs <= cursorMs && cursorMs < untilMs,
          );
          const since = markSince(store, track, cursorMs);
          expect(shapes(shown)).toEqual(
            since === undefined
              ? { solid: [], dotted: [] }
              : joined(store, track, Math.max(cursorMs - keptMs, since - 1), cursorMs),
          );
        }
      }),
    );
  });

  test('draws one dot at each received position, from the time it was received', () => {
    fc.assert(
      fc.property(anyParts, (parts) => {
        const store = storeOf(parts);
        for (let track = 0; track < store.trackCount; track++) {
          const series = store.seriesOf(track);
          const dots = linesOf(store, track, { ...whole, dots: true }).filter(({ shape }) => shape === 'dot');
          expect(dots.map(({ fromMs }) => fromMs - epochMs(start))).toEqual(
            Array.from({ length: series.count }, (_, index) => series.timeMs(index)),
          );
          expect(dots.map(({ to }) => to.y)).toEqual(
            dots.map((_, index) => inBuffer(store.rows.read.lat(series.row(index)))),
          );
        }
      }),
    );
  });

  test('takes the short way around the Earth, also across 180°', () => {
    fc.assert(
      fc.property(anyParts, (parts) => {
        const store = storeOf(parts);
        for (let track = 0; track < store.trackCount; track++) {
          const lines = linesOf(store, track, { ...whole, dots: false });
          expect(lines.filter(({ from, to }) => Math.abs(to.x - from.x) > 0.5 + 1e-9)).toEqual([]);
        }
      }),
    );
  });
});
