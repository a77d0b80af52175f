import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LiveRecord } from '#lib/api/live-answer.ts';
import { AGEING } from '#lib/model/ageing.ts';
import { LAYERS, type Position } from '#lib/model/position.ts';
import { drawPicture } from '#lib/picture/draw-picture.ts';
import { listSlots } from '#lib/picture/list-tracks.ts';
import { makePicture } from '#lib/picture/picture.ts';
import type { PicturedTracks, TrackMoment } from '#lib/picture/pictured-tracks.ts';
import { epochMs, formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { plainRecord, RECORDS_AT_MS } from '../../../api/arbitrary-record.fixture.ts';
import { recordColumns } from '../../live/record-columns.fixture.ts';
import { TrackStore } from '../../live/track-store.ts';
import { FALLBACK_TTL_MS, type TimeToLive } from '../time-to-live.ts';
import {
  anyMoment,
  anyParts,
  observationColumns,
  observationsByRef,
  RECORDS_WINDOW,
} from './observation-columns.fixture.ts';
import { ReplayCursor } from './replay-cursor.ts';
import { ReplayStore } from './replay-store.ts';

const moments = fc.array(anyMoment, { minLength: 1, maxLength: 12 });
const anyTtlMs: fc.Arbitrary<TimeToLive> = fc.constantFrom(FALLBACK_TTL_MS, { aircraft: 20_000, drone: 45_000 });

function storeOf(parts: readonly (readonly LiveRecord[])[]): ReplayStore {
  const store = new ReplayStore({ window: RECORDS_WINDOW });
  for (const part of parts) store.add(observationColumns(part));
  return store;
}

function liveAt(parts: readonly (readonly LiveRecord[])[], atMs: number, { aircraft, drone }: TimeToLive): TrackStore {
  const live = new TrackStore();
  const seen = [...observationsByRef(parts).values()]
    .flat()
    .filter(({ observed_at }) => Date.parse(observed_at) <= atMs)
    .sort((a, b) => Date.parse(a.observed_at) - Date.parse(b.observed_at));
  for (const record of seen) {
    const ttlMs = record.track_kind === 'drone' ? drone : aircraft;
    const staleAfter = formatInstant(upstreamInstant(Date.parse(record.observed_at) + ttlMs));
    live.apply(recordColumns([{ ...record, stale_after: staleAfter }]));
  }
  live.prune(atMs, undefined);
  return live;
}

function drawnFrom(tracks: PicturedTracks, atMs: number, selectedRef: string | undefined) {
  const picture = makePicture(tracks.columns.capacity);
  const selected = selectedRef === undefined ? undefined : tracks.slotOf(selectedRef);
  const counts = drawPicture(tracks.columns, atMs, selected === undefined ? [] : [selected], picture);
  const marks = Array.from({ length: picture.count }, (_, index) => {
    const slot = picture.slot[index] as number;
    const { staleAfter: _stale, ...position } = tracks.positionAt(slot);
    return {
      ...position,
      expiresAtMs: tracks.columns.expiresAtMs[slot],
      x: picture.mercatorX[index],
      y: picture.mercatorY[index],
      heading: picture.headingDeg[index],
      colour: [...picture.colour.subarray(index * 4, index * 4 + 4)],
      style: picture.style[index],
    };
  });
  return { counts, marks: marks.sort((a, b) => (a.ref < b.ref ? -1 : 1)) };
}

function listed(moment: TrackMoment, parts: readonly (readonly LiveRecord[])[]) {
  const text = parts[0]?.[0]?.public_track_id.slice(-2) ?? '';
  const all = listSlots(moment, { order: [{ column: 'speedMps', descending: true }] });
  const found = listSlots(moment, { text, order: [{ column: 'ref', descending: false }] });
  return Array.from([...all, ...found], (slot) => ({
    ...moment.positionAt(slot),
    confidence: moment.labelAt(slot, 'confidence'),
    expiresAtMs: moment.columns.expiresAtMs[slot],
  }));
}

const usedOf = ({ columns }: PicturedTracks) => [...columns.used.subarray(0, columns.end)];

describe('ReplayCursor', () => {
  test('a past time looks as it did live: the same marks, ages, colours and counts', () => {
    fc.assert(
      fc.property(anyParts, anyMoment, anyTtlMs, (parts, atMs, ttlMs) => {
        const cursor = new ReplayCursor(storeOf(parts), ttlMs);
        cursor.seek(atMs);
        const selected = parts[0]?.[0]?.public_track_id;
        expect(drawnFrom(cursor, atMs, selected)).toEqual(drawnFrom(liveAt(parts, atMs, ttlMs), atMs, selected));
      }),
    );
  });

  test('draws each track’s last observation at or before the cursor until its removal, and nothing else', () => {
    fc.assert(
      fc.property(anyParts, anyMoment, (parts, atMs) => {
        const cursor = new ReplayCursor(storeOf(parts));
        cursor.seek(atMs);
        for (const [ref, observations] of observationsByRef(parts)) {
          const last = observations.filter(({ observed_at }) => Date.parse(observed_at) <= atMs).at(-1);
          const kind = last?.track_kind === 'drone' ? 'drone' : 'aircraft';
          const { fallbackTtlMs, expiredMs } = AGEING[kind];
          const isDrawn = last && atMs < Date.parse(last.observed_at) + fallbackTtlMs + expiredMs;
          const slot = cursor.slotOf(ref);
          expect(slot !== undefined).toBe(isDrawn === true);
          if (slot === undefined) continue;
          expect(cursor.positionAt(slot)).toMatchObject({
            ref,
            observedAt: Date.parse(last?.observed_at ?? ''),
            lon: last?.longitude,
            lat: last?.latitude,
            altitudeM: last?.altitude_m ?? undefined,
            heightAglM: last?.height_agl_m ?? undefined,
            speedMps: last?.speed_mps ?? undefined,
            confidence: last?.confidence ?? undefined,
            confidenceScore: last?.confidence_score ?? undefined,
            receiverCount: last?.receiver_count ?? undefined,
            emergencyState: last?.emergency_state ?? undefined,
          });
        }
      }),
    );
  });

  test('after any sequence of seeks it shows what a new cursor shows', () => {
    fc.assert(
      fc.property(anyParts, moments, (parts, list) => {
        const store = storeOf(parts);
        const travelled = new ReplayCursor(store);
        for (const atMs of list) {
          travelled.seek(atMs);
          const fresh = new ReplayCursor(store);
          fresh.seek(atMs);
          expect(drawnFrom(travelled, atMs, undefined)).toEqual(drawnFrom(fresh, atMs, undefined));
          expect(usedOf(travelled)).toEqual(usedOf(fresh));
        }
      }),
    );
  });

  test('parts that arrive between seeks are in the picture after the next seek', () => {
    fc.assert(
      fc.property(anyParts, fc.infiniteStream(anyMoment), (parts, stream) => {
        const store = new ReplayStore({ window: RECORDS_WINDOW });
        const cursor = new ReplayCursor(store);
        for (const [index, part] of parts.entries()) {
          store.add(observationColumns(part));
          const atMs = stream.next().value as number;
          cursor.seek(atMs);
          const fresh = new ReplayCursor(storeOf(parts.slice(0, index + 1)));
          fresh.seek(atMs);
          expect(drawnFrom(cursor, atMs, undefined)).toEqual(drawnFrom(fresh, atMs, undefined));
        }
      }),
    );
  });

  test('a change of layers takes effect without a seek', () => {
    fc.assert(
      fc.property(anyParts, anyMoment, anyTtlMs, fc.subarray([...LAYERS]), (parts, atMs, ttlMs, layers) => {
        const cursor = new ReplayCursor(storeOf(parts), ttlMs);
        cursor.seek(atMs);
        const all = drawnFrom(cursor, atMs, undefined).marks;
        cursor.setShown(new Set(layers));
        const shown = all.filter(({ kind }) => layers.includes(kind === 'drone' ? 'rid' : 'adsb'));
        expect(drawnFrom(cursor, atMs, undefined).marks).toEqual(shown);
      }),
    );
  });

  test('a snapshot is not affected by later seeks, parts and the next snapshot', () => {
    fc.assert(
      fc.property(anyParts, anyParts, anyMoment, moments, (parts, later, atMs, list) => {
        const store = storeOf(parts);
        const cursor = new ReplayCursor(store);
        cursor.seek(atMs);
        const moment = cursor.momentAt(atMs);
        const expected = listed(moment, parts);
        for (const elsewhere of list) cursor.seek(elsewhere);
        for (const part of later) store.add(observationColumns(part));
        cursor.seek(list[0] ?? atMs);
        cursor.momentAt(atMs);
        expect(listed(moment, parts)).toEqual(expected);
      }),
    );
  });

  test('a position keeps its identity until it is replaced', () => {
    fc.assert(
      fc.property(anyParts, moments, (parts, list) => {
        const cursor = new ReplayCursor(storeOf(parts));
        let before = new Map<string, Position>();
        for (const atMs of list) {
          cursor.seek(atMs);
          const now = new Map<string, Position>();
          for (const [slot, used] of usedOf(cursor).entries()) {
            if (used === 0) continue;
            const position = cursor.positionAt(slot);
            now.set(position.ref, position);
            const earlier = before.get(position.ref);
            if (earlier?.observedAt === position.observedAt) expect(position).toBe(earlier);
          }
          before = now;
        }
      }),
    );
  });

  test('an observation is shown from its own millisecond on, seeking forwards or backwards', () => {
    const stamps = [0, 1000].map((ms) => ({
      ...plainRecord,
      observed_at: formatInstant(upstreamInstant(RECORDS_AT_MS + ms)),
    }));
    const cursor = new ReplayCursor(storeOf([stamps]));
    const shownAt = (ms: number) => {
      cursor.seek(RECORDS_AT_MS + ms);
      const slot = cursor.slotOf(plainRecord.public_track_id);
      return slot === undefined ? undefined : epochMs(cursor.positionAt(slot).observedAt) - RECORDS_AT_MS;
    };
    expect([-1, 0, 999, 1000, 1001, 1000, 999, 0, -1].map(shownAt)).toEqual([
      undefined,
      0,
      0,
      1000,
      1000,
      1000,
      0,
      0,
      undefined,
    ]);
  });
});
