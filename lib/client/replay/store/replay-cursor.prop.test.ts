import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LiveRecord } from '#lib/api/live-record.ts';
import { AGEING } from '#lib/model/ageing.ts';
import { LAYERS, type Position } from '#lib/model/position.ts';
import { drawPicture } from '#lib/picture/draw-picture.ts';
import { orderTracks } from '#lib/picture/order-tracks.ts';
import { makePicture } from '#lib/picture/picture.ts';
import type { PicturedTracks, TrackMoment } from '#lib/picture/pictured-tracks.ts';
import { epochMs, formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { plainRecord, RECORDS_AT_MS } from '../../../api/arbitrary-record.fixture.ts';
import { recordColumns } from '../../live/record-columns.fixture.ts';
import { TrackStore } from '../../live/track-store.ts';
import {
  anyMoment,
  anyParts,
  observationColumns,
  observationsByRef,
  RECORDS_WINDOW,
} from './observation-columns.fixture.ts';
import { FALLBACK_TTL_MS, ReplayCursor, type TimeToLive } from './replay-cursor.ts';
import { ReplayStore } from './replay-store.ts';

const moments = fc.array(anyMoment, { minLength: 1, maxLength: 12 });
const lifetimes: fc.Arbitrary<TimeToLive> = fc.constantFrom(FALLBACK_TTL_MS, { aircraft: 20_000, drone: 45_000 });

function storeOf(parts: readonly (readonly LiveRecord[])[]): ReplayStore {
  const store = new ReplayStore({ window: RECORDS_WINDOW });
  for (const part of parts) store.add(observationColumns(part));
  return store;
}

/** Live's own store, to which every record came as soon as it was observed, up to `atMs`. */
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

/** Everything that is drawn, by reference: numbers of slots differ between stores. */
function drawnFrom(tracks: PicturedTracks, atMs: number, selectedRef: string | undefined) {
  const picture = makePicture(tracks.columns.capacity);
  const selected = selectedRef === undefined ? undefined : tracks.slotOf(selectedRef);
  const counts = drawPicture(tracks.columns, atMs, selected, picture);
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

/** What a table of the moment's tracks says of each of them, in the order of the table. */
function listed({ columns, refAt, positionAt, atMs }: TrackMoment, parts: readonly (readonly LiveRecord[])[]) {
  const text = parts[0]?.[0]?.public_track_id.slice(-2) ?? '';
  const all = orderTracks(
    columns,
    refAt,
    atMs,
    { text: '', inside: undefined },
    { column: 'speedMps', descending: true },
  );
  const found = orderTracks(columns, refAt, atMs, { text, inside: undefined }, { column: 'ref', descending: false });
  return Array.from([...all, ...found], (slot) => ({ ...positionAt(slot), expiresAtMs: columns.expiresAtMs[slot] }));
}

const usedOf = ({ columns }: PicturedTracks) => [...columns.used.subarray(0, columns.end)];

describe('ReplayCursor', () => {
  test('a past moment looks as it looked live: the same marks, ages, colours and counts', () => {
    fc.assert(
      fc.property(anyParts, anyMoment, lifetimes, (parts, atMs, ttlMs) => {
        const cursor = new ReplayCursor(storeOf(parts), ttlMs);
        cursor.seek(atMs);
        const selected = parts[0]?.[0]?.public_track_id;
        expect(drawnFrom(cursor, atMs, selected)).toEqual(drawnFrom(liveAt(parts, atMs, ttlMs), atMs, selected));
      }),
    );
  });

  test('draws of each track its last observation at or before the moment, until it was removed, and nothing else', () => {
    fc.assert(
      fc.property(anyParts, anyMoment, (parts, atMs) => {
        const cursor = new ReplayCursor(storeOf(parts));
        cursor.seek(atMs);
        for (const [ref, observations] of observationsByRef(parts)) {
          const last = observations.filter(({ observed_at }) => Date.parse(observed_at) <= atMs).at(-1);
          const kind = last?.track_kind === 'drone' ? 'drone' : 'aircraft';
          const { fallbackTtlMs, coastMs } = AGEING[kind];
          const isDrawn = last && atMs < Date.parse(last.observed_at) + fallbackTtlMs + coastMs;
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

  test('the way to a moment leaves nothing behind: any seeks there and back show what a fresh cursor shows', () => {
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

  test('parts that come while it stands or moves are in the picture from the next seek on', () => {
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

  test('other layers hold from that moment on, without a seek', () => {
    fc.assert(
      fc.property(anyParts, anyMoment, lifetimes, fc.subarray([...LAYERS]), (parts, atMs, ttlMs, layers) => {
        const cursor = new ReplayCursor(storeOf(parts), ttlMs);
        cursor.seek(atMs);
        const all = drawnFrom(cursor, atMs, undefined).marks;
        cursor.setShown(new Set(layers));
        const shown = all.filter(({ kind }) => layers.includes(kind === 'drone' ? 'rid' : 'adsb'));
        expect(drawnFrom(cursor, atMs, undefined).marks).toEqual(shown);
      }),
    );
  });

  test('a list of a moment stays as it was, wherever the cursor goes and whatever comes in afterwards', () => {
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
        expect(listed(moment, parts)).toEqual(expected);
      }),
    );
  });

  test('a position keeps its identity until another one takes its place', () => {
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

  test('an observation is there from its own millisecond on, and not before, whichever way the cursor comes', () => {
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
