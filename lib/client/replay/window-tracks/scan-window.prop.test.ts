import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LiveRecord } from '#lib/api/live-answer.ts';
import { NO_FILTER, type TrackFilter } from '#lib/filter/track-filter.ts';
import { type Area, areaContains, distanceToAreaM } from '#lib/geo/area.ts';
import { distanceM } from '#lib/geo/great-circle.ts';
import { LAYERS } from '#lib/model/position.ts';
import { addMs, epochMs, formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { plainRecord, RECORDS_AT_MS } from '../../../api/arbitrary-record.fixture.ts';
import {
  anyParts,
  observationColumns,
  observationsByRef,
  RECORDS_WINDOW,
} from '../store/observation-columns.fixture.ts';
import { ReplayStore } from '../store/replay-store.ts';
import { scanWindow, type WindowScan } from './scan-window.ts';

const CIRCLE: Area = { kind: 'circle', centre: { lon: 8.5, lat: 47.5 }, radiusM: 10_000 };
const SOUTH: Area = {
  kind: 'polygon',
  corners: [
    { lon: 8.4, lat: 47.4 },
    { lon: 8.6, lat: 47.4 },
    { lon: 8.5, lat: 47.5 },
  ],
};
const AT_ONCE = { yieldToMain: async () => undefined, isWanted: () => true };

const near = (parts: readonly LiveRecord[][]) =>
  parts.map((part) =>
    part.map((record) => ({
      ...record,
      longitude: Number((8.5 + record.longitude / 900).toFixed(6)),
      latitude: Number((47.5 + record.latitude / 450).toFixed(6)),
    })),
  );

function storeOf(parts: readonly (readonly LiveRecord[])[]): ReplayStore {
  const store = new ReplayStore({ window: RECORDS_WINDOW });
  for (const part of parts) store.add(observationColumns(part));
  return store;
}

const allOf = (store: ReplayStore): WindowScan => ({
  store,
  window: store.window,
  layers: new Set(LAYERS),
  filter: NO_FILTER,
  visible: undefined,
  place: undefined,
});

const scan = async (store: ReplayStore, change: Partial<WindowScan> = {}) => {
  const found = await scanWindow({ ...allOf(store), ...change }, AT_ONCE);
  if (!found) throw new Error('the scan was given up');
  return found;
};

test('lists exactly the tracks with a received position in the area, each by its positions in it', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyParts.map(near),
      fc.constantFrom(CIRCLE, SOUTH),
      fc.integer({ min: 0, max: 60_000 }),
      async (parts, area, lateMs) => {
        const store = storeOf(parts);
        const window = { ...store.window, start: addMs(store.window.start, Math.floor(lateMs / 5000) * 5000) };
        const place = { lon: 8.45, lat: 47.45 };
        const found = await scan(store, { window, filter: { ...NO_FILTER, inside: area }, place });
        const listed = new Map([...found.drone.tracks, ...found.aircraft.tracks].map((track) => [track.ref, track]));
        for (const [ref, records] of observationsByRef(parts)) {
          const inWindow = records.filter(({ observed_at }) => Date.parse(observed_at) >= epochMs(window.start));
          const inside = inWindow.filter(({ longitude, latitude }) => areaContains(area, longitude, latitude));
          const track = listed.get(ref);
          expect(track?.positions ?? 0).toBe(inside.length);
          const outsideM = inWindow.map(({ longitude: lon, latitude: lat }) => distanceToAreaM(area, { lon, lat }));
          const { nearestOutside } = found[ref.includes('-D-') ? 'drone' : 'aircraft'];
          if (!track && inWindow.length > 0)
            expect(nearestOutside?.distanceM).toBeLessThanOrEqual(Math.min(...outsideM) + 1e-6);
          if (!track) continue;
          const times = inside.map(({ observed_at }) => Date.parse(observed_at));
          expect([epochMs(track.first), epochMs(track.last)]).toEqual([Math.min(...times), Math.max(...times)]);
          const heights = inside.flatMap(({ height_agl_m: height }) => (height === null ? [] : [height]));
          expect(track.heightAglM).toEqual(
            heights.length === 0 ? undefined : { lowest: Math.min(...heights), highest: Math.max(...heights) },
          );
          const nearestM = Math.min(
            ...inside.map(({ longitude: lon, latitude: lat }) => distanceM(place, { lon, lat })),
          );
          expect(track.nearest?.distanceM).toBeCloseTo(nearestM, 3);
        }
        for (const kind of ['drone', 'aircraft'] as const) {
          const counted = found[kind].histogram.reduce((sum, count) => sum + count, 0);
          expect(counted).toBe(found[kind].tracks.reduce((sum, { positions }) => sum + positions, 0));
        }
      },
    ),
    { numRuns: 60 },
  );
});

describe('a track outside the area', () => {
  const at = (seconds: number, longitude: number, latitude: number, change: Partial<LiveRecord> = {}): LiveRecord => ({
    ...plainRecord,
    observed_at: formatInstant(upstreamInstant(RECORDS_AT_MS + seconds * 1000)),
    longitude,
    latitude,
    ...change,
  });
  const inside: TrackFilter = { ...NO_FILTER, inside: CIRCLE };

  test('counts by received positions: between two of them it is not known, and says so', async () => {
    const { aircraft } = await scan(storeOf([[at(0, 8.3, 47.5), at(16, 8.7, 47.5), at(20, 8.72, 47.5)]]), {
      filter: inside,
    });
    expect(aircraft.tracks).toEqual([]);
    expect(aircraft.received).toBe(1);
    expect(aircraft.crossings).toMatchObject([
      { from: RECORDS_AT_MS, to: RECORDS_AT_MS + 16_000, simulated: false, kind: 'aircraft' },
    ]);
    expect(aircraft.nearestOutside?.at).toBe(RECORDS_AT_MS);
    const edgeM = distanceM({ lon: 8.5, lat: 47.5 }, { lon: 8.3, lat: 47.5 }) - 10_000;
    expect(aircraft.nearestOutside?.distanceM).toBeCloseTo(edgeM, 0);
  });

  test('has crossed nothing where it passes by', async () => {
    const { aircraft } = await scan(storeOf([[at(0, 8.3, 47.7), at(16, 8.7, 47.7)]]), { filter: inside });
    expect(aircraft.crossings).toEqual([]);
  });

  test('is filtered by kind and height, and a height that was not reported is never 0', async () => {
    const parts = [
      [
        at(0, 8.5, 47.5, { height_agl_m: 50 }),
        at(1, 8.5, 47.5, { height_agl_m: 150, emergency_state: 'general' }),
        at(2, 8.5, 47.5),
        at(3, 8.5, 47.5, { public_track_id: 'RX-D-0000000000000002', track_kind: 'drone' }),
      ],
    ];
    const low: TrackFilter = { ...inside, heightAglM: { from: undefined, to: 120 } };
    const { aircraft, drone } = await scan(storeOf(parts), { filter: low });
    expect(aircraft.tracks).toMatchObject([{ positions: 2, heightAglM: { lowest: 50, highest: 50 } }]);
    expect(drone.tracks).toMatchObject([{ positions: 1, heightAglM: undefined, altitudeM: undefined }]);
    const hidden = await scan(storeOf(parts), { filter: { ...low, unknown: 'hide', kind: 'drone' } });
    expect([hidden.aircraft.tracks, hidden.drone.tracks]).toEqual([[], []]);
    const called = await scan(storeOf(parts), { filter: { ...low, kind: 'drone', emergency: 'show' } });
    expect(called.aircraft.tracks, 'emergencies that the map shows anyway are no answer').toEqual([]);
    const droneOff = await scan(storeOf(parts), { layers: new Set(['adsb']) });
    expect([droneOff.drone.received, droneOff.aircraft.received]).toEqual([0, 1]);
  });
});

test('gives up between slices once it is not wanted', async () => {
  const store = storeOf([[plainRecord]]);
  const records = Array.from({ length: 20_000 }, (_, index) => ({
    ...plainRecord,
    observed_at: formatInstant(upstreamInstant(RECORDS_AT_MS + index)),
  }));
  store.add(observationColumns(records));
  expect(await scanWindow(allOf(store), { yieldToMain: async () => undefined, isWanted: () => false })).toBeUndefined();
});
