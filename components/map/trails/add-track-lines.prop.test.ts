import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addToTrail } from '#lib/client/replay/store/add-to-trail.ts';
import {
  anyMoment,
  anyParts,
  observationColumns,
  RECORDS_WINDOW,
} from '#lib/client/replay/store/observation-columns.fixture.ts';
import { ReplayStore } from '#lib/client/replay/store/replay-store.ts';
import { mercatorY } from '#lib/geo/mercator.ts';
import { TRAIL_LIMITS, Trail } from '#lib/picture/trail.ts';
import { dottedConnectors, solidLines } from '#lib/picture/trail-lines.fixture.ts';
import { epochMs } from '#lib/time/instant.ts';
import { floatHigh, floatLow } from '../webgl/float-pair.ts';
import { addTrackLines, type TrackLinesOptions } from './add-track-lines.ts';
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

/** What a trail over `(afterMs, toMs]` joins, as pairs of places. */
function joined(store: ReplayStore, track: number, afterMs: number, toMs: number) {
  const trail = new Trail();
  addToTrail(trail, store, track, { afterMs, toMs });
  const pairs = (all: readonly (readonly [number, number])[][]) =>
    all.flatMap((line) => line.slice(1).map((to, index) => [inBuffer(line[index]?.[1] as number), inBuffer(to[1])]));
  return { solid: pairs(solidLines(trail)).sort(), dotted: pairs(dottedConnectors(trail)).sort() };
}

/** A latitude as the buffer stores it. */
function inBuffer(lat: number): number {
  return floatHigh(mercatorY(lat)) + floatLow(mercatorY(lat));
}

function shapes(lines: readonly DrawnLine[]) {
  const pairs = (wanted: DrawnLine['shape']) =>
    lines.filter(({ shape }) => shape === wanted).map(({ from, to }) => [from.y, to.y]);
  return { solid: pairs('solid').sort(), dotted: pairs('dotted').sort() };
}

/** When the mark that is shown at `atMs` appeared; `undefined` if none is shown. */
function markSince(store: ReplayStore, track: number, atMs: number): number | undefined {
  const series = store.seriesOf(track);
  const { dottedMs } = TRAIL_LIMITS[store.kindOf(track)];
  let index = series.lastAtOrBefore(atMs - epochMs(start), 0);
  if (index < 0 || atMs - epochMs(start) - series.timeMs(index) >= dottedMs) return undefined;
  while (index > 0 && series.timeMs(index) - series.timeMs(index - 1) <= dottedMs) index--;
  return epochMs(start) + series.timeMs(index);
}

describe('addTrackLines', () => {
  test('the past at the cursor is joined as in a trail that ends at the cursor', () => {
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

  test('a trail with a time limit shows what was received within it, as long as its mark is shown', () => {
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

  test('each received position has one dot, from the time it was received', () => {
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
});
