import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainRecord } from '#lib/api/arbitrary-record.fixture.ts';
import type { LiveRecord } from '#lib/api/live-answer.ts';
import { replayLayer } from '#lib/client/replay/replay-layer.fixture.ts';
import { replayLayerText } from '#lib/client/replay/replay-layer-text.ts';
import type { MinuteState } from '#lib/client/replay/replay-summary.ts';
import { observationColumns } from '#lib/client/replay/store/observation-columns.fixture.ts';
import { ReplayCursor } from '#lib/client/replay/store/replay-cursor.ts';
import { ReplayStore } from '#lib/client/replay/store/replay-store.ts';
import type { Layer } from '#lib/model/position.ts';
import { KIND_OF_LAYER, LAYER_OF_KIND } from '#lib/model/position.ts';
import { addMs, epochMs, formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { gapsAt } from './drawn-past.tsx';
import { gap, layers, START_MS } from './replay-gaps.fixture.ts';

const MINUTES = 12;
const start = upstreamInstant(START_MS);
const window = { start, end: addMs(start, MINUTES * MINUTE_MS) };

const offsetMs = fc.oneof(
  fc.integer({ min: 0, max: MINUTES * MINUTE_MS - 1 }),
  fc.integer({ min: 0, max: MINUTES - 1 }).map((minute) => minute * MINUTE_MS),
);
const observations = fc.array(
  fc.record({ track: fc.nat(7), afterMs: offsetMs }).map(({ track, afterMs }): LiveRecord => {
    const isDrone = track % 2 === 1;
    return {
      ...plainRecord,
      public_track_id: `RX-${isDrone ? 'D' : 'A'}-${String(track).padStart(16, '0')}`,
      track_kind: isDrone ? 'drone' : 'adsb_aircraft',
      observed_at: formatInstant(addMs(start, afterMs)),
    };
  }),
  { minLength: 1, maxLength: 20 },
);
const ttlMs = fc.oneof(fc.constantFrom(45_000, 60_000, 90_000), fc.integer({ min: 1, max: 5 * MINUTE_MS }));
const ttls = fc.record({ aircraft: ttlMs, drone: ttlMs });

function cursorAt(records: readonly LiveRecord[], ttlMs: { aircraft: number; drone: number }, atMs: number) {
  const store = new ReplayStore({ window });
  store.add(observationColumns(records));
  const cursor = new ReplayCursor(store, ttlMs);
  cursor.seek(atMs);
  return cursor;
}

function isCounted(cursor: ReplayCursor, layer: Layer, minute: number): { text: boolean; map: boolean } {
  const minutes = Array.from({ length: MINUTES }, (_, at): MinuteState => (at === minute ? 'failed' : 'complete'));
  const shownForMs = cursor.shownForMs(KIND_OF_LAYER[layer]);
  const { short } = replayLayerText(replayLayer(layer, { minutes, shownForMs }), 1, {
    window,
    cursor: upstreamInstant(cursor.atMs),
    zone: 'utc',
    mayLoad: true,
  });
  const summary = layers({ [layer]: [gap(minute, minute + 1)] });
  const gaps = gapsAt(
    { layers: { ...summary.layers, [layer]: { ...summary.layers[layer], shownForMs } } },
    upstreamInstant(cursor.atMs),
  );
  return { text: short === 'failed', map: gaps.length === 1 };
}

test('text and map count every minute from which the cursor still shows a position', () => {
  fc.assert(
    fc.property(observations, ttls, offsetMs, (records, ttlMs, afterMs) => {
      const cursor = cursorAt(records, ttlMs, START_MS + afterMs);
      for (let slot = 0; slot < cursor.columns.end; slot++) {
        if (cursor.columns.used[slot] === 0) continue;
        const { kind, observedAt } = cursor.positionAt(slot);
        const minute = Math.floor((epochMs(observedAt) - START_MS) / MINUTE_MS);
        expect(isCounted(cursor, LAYER_OF_KIND[kind], minute)).toEqual({ text: true, map: true });
      }
    }),
    { numRuns: 500 },
  );
});

test('a minute from which no position can be shown, any more or yet, is not counted', () => {
  fc.assert(
    fc.property(
      ttls,
      offsetMs,
      fc.nat(MINUTES - 1),
      fc.constantFrom<Layer>('rid', 'adsb'),
      (ttlMs, afterMs, minute, layer) => {
        const cursor = cursorAt([plainRecord], ttlMs, START_MS + afterMs);
        const isOver = (minute + 1) * MINUTE_MS + cursor.shownForMs(KIND_OF_LAYER[layer]) <= afterMs;
        fc.pre(isOver || afterMs < minute * MINUTE_MS);
        expect(isCounted(cursor, layer, minute)).toEqual({ text: false, map: false });
      },
    ),
  );
});
