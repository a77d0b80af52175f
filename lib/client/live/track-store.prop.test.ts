import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LiveRecord } from '#lib/api/live-answer.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { AGEING } from '#lib/model/ageing.ts';
import { LAYERS, type Layer, type Position } from '#lib/model/position.ts';
import type { TrackMoment } from '#lib/picture/pictured-tracks.ts';
import { addMs, epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { anyRecord, RECORDS_AT_MS } from '../../api/arbitrary-record.fixture.ts';
import { anyBbox } from '../../geo/arbitrary-bbox.fixture.ts';
import { recordColumns } from './record-columns.fixture.ts';
import { TrackStore } from './track-store.ts';

function positionOf(record: LiveRecord): Position {
  return {
    ref: record.public_track_id,
    kind: record.track_kind === 'drone' ? 'drone' : 'aircraft',
    observedAt: upstreamInstant(Date.parse(record.observed_at)),
    lon: record.longitude,
    lat: record.latitude,
    altitudeM: record.altitude_m ?? undefined,
    heightAglM: record.height_agl_m ?? undefined,
    speedMps: record.speed_mps ?? undefined,
    headingDeg: record.heading_deg ?? undefined,
    confidence: record.confidence ?? undefined,
    confidenceScore: record.confidence_score ?? undefined,
    receiverCount: record.receiver_count ?? undefined,
    simulated: record.simulated,
    testBroadcast: record.test_broadcast,
    emergencyState: record.emergency_state ?? undefined,
    staleAfter: record.stale_after === undefined ? undefined : upstreamInstant(Date.parse(record.stale_after)),
  };
}

class ModelStore {
  readonly tracks = new Map<string, Position>();

  apply(records: readonly LiveRecord[]): void {
    for (const position of records.map(positionOf)) {
      const known = this.tracks.get(position.ref);
      if (!known || position.observedAt >= known.observedAt) this.tracks.set(position.ref, position);
    }
  }

  prune(nowMs: number, covered: readonly Bbox[] | undefined): void {
    this.#dropWhere(({ kind, staleAfter, observedAt, lon, lat }) => {
      const { fallbackTtlMs, expiredMs } = AGEING[kind];
      const expiresAt = staleAfter ?? addMs(observedAt, fallbackTtlMs);
      if (nowMs >= epochMs(expiresAt) + expiredMs) return true;
      return covered !== undefined && !covered.some((box) => bboxContains(box, lon, lat));
    });
  }

  dropLayer(layer: Layer): void {
    this.#dropWhere(({ kind }) => (kind === 'drone') === (layer === 'rid'));
  }

  #dropWhere(gone: (position: Position) => boolean): void {
    for (const [ref, position] of this.tracks) if (gone(position)) this.tracks.delete(ref);
  }
}

const anyRecords = fc.uniqueArray(anyRecord, { selector: (record) => record.public_track_id, maxLength: 12 });

type Step = (store: TrackStore, model: ModelStore) => void;
const apply = anyRecords.map(
  (records): Step =>
    (store, model) => {
      store.apply(recordColumns(records));
      model.apply(records);
    },
);
const prune = fc
  .tuple(fc.integer({ min: -60_000, max: 240_000 }), fc.option(fc.array(anyBbox, { minLength: 1, maxLength: 2 })))
  .map(
    ([offsetMs, boxes]): Step =>
      (store, model) => {
        store.prune(RECORDS_AT_MS + offsetMs, boxes ?? undefined);
        model.prune(RECORDS_AT_MS + offsetMs, boxes ?? undefined);
      },
  );
const drop = fc.constantFrom(...LAYERS).map(
  (layer): Step =>
    (store, model) => {
      store.dropLayer(layer);
      model.dropLayer(layer);
    },
);
const steps = fc.array(fc.oneof({ weight: 4, arbitrary: apply }, { weight: 2, arbitrary: prune }, drop), {
  maxLength: 12,
});

function tracksOf(store: Pick<TrackMoment, 'columns' | 'refAt' | 'positionAt'>): Map<string, Position> {
  const tracks = new Map<string, Position>();
  for (let slot = 0; slot < store.columns.end; slot++) {
    if (store.columns.used[slot]) tracks.set(store.refAt(slot), store.positionAt(slot));
  }
  return tracks;
}

describe('TrackStore', () => {
  test('after any sequence of answers, pruning and dropped layers it equals the model', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const [store, model] = [new TrackStore(), new ModelStore()];
        for (const step of list) {
          step(store, model);
          expect(tracksOf(store)).toEqual(model.tracks);
          expect(store.size).toBe(model.tracks.size);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('an unchanged record keeps its slot, and its position keeps its identity', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const [store, model] = [new TrackStore(), new ModelStore()];
        let before = new Map<string, { slot: number; position: Position }>();
        let modelBefore = new Map<string, Position>();
        for (const step of list) {
          step(store, model);
          const after = new Map<string, { slot: number; position: Position }>();
          for (const [ref, expected] of model.tracks) {
            const slot = store.slotOf(ref) as number;
            const position = store.positionAt(slot);
            const earlier = before.get(ref);
            if (earlier) {
              expect(slot).toBe(earlier.slot);
              if (isDeepStrictEqual(expected, modelBefore.get(ref))) expect(position).toBe(earlier.position);
            }
            after.set(ref, { slot, position });
          }
          before = after;
          modelBefore = new Map(model.tracks);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('a snapshot is not affected by later answers, pruning, dropped layers and the next snapshot', () => {
    fc.assert(
      fc.property(steps, steps, steps, (before, after, later) => {
        const [store, model] = [new TrackStore(), new ModelStore()];
        for (const step of before) step(store, model);
        store.momentAt(RECORDS_AT_MS);
        const moment = store.momentAt(RECORDS_AT_MS);
        const expected = tracksOf(store);
        for (const step of after) step(store, model);
        store.momentAt(RECORDS_AT_MS);
        for (const step of later) step(store, model);
        expect(tracksOf(moment)).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  test('a snapshot shows the latest change, however many were made before it', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const [store, model] = [new TrackStore(), new ModelStore()];
        all.forEach((step, index) => {
          step(store, model);
          const moment = store.momentAt(index);
          expect(moment.atMs).toBe(index);
          expect(tracksOf(moment)).toEqual(tracksOf(store));
        });
      }),
      { numRuns: 200 },
    );
  });

  test('applying the same answer again keeps the identity of all positions', () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        const store = new TrackStore();
        store.apply(recordColumns(records));
        const before = [...tracksOf(store).values()];
        store.apply(recordColumns(records));
        expect([...tracksOf(store).values()].every((position, index) => position === before[index])).toBe(true);
      }),
    );
  });

  test('a reused slot contains nothing of its previous track', () => {
    fc.assert(
      fc.property(anyRecord, anyRecord, (first, second) => {
        const [reused, fresh] = [new TrackStore(), new TrackStore()];
        reused.apply(recordColumns([first]));
        reused.positionAt(0);
        reused.prune(RECORDS_AT_MS + 3_600_000, undefined);
        reused.apply(recordColumns([second]));
        fresh.apply(recordColumns([second]));
        expect(reused.columns).toEqual(fresh.columns);
        expect(reused.positionAt(0)).toEqual(positionOf(second));
      }),
    );
  });
});
