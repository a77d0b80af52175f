import { beforeEach, describe, expect, test } from 'vitest';
import type { LayerState } from '#lib/api/layer-state.ts';
import type { LiveRecord } from '#lib/api/live-answer.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { selectionOf } from '#lib/model/selection.ts';
import { MARK_SELECTED } from '#lib/picture/mark-style.ts';
import { addMs, localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { plainRecord, RECORDS_AT_MS } from '../../api/arbitrary-record.fixture.ts';
import type { LayerFrame, LiveFrame } from '../live/compact-reader.ts';
import { LiveFeed } from '../live/live-feed.ts';
import { recordColumns } from '../live/record-columns.fixture.ts';
import { ReplayCursor } from '../replay/store/replay-cursor.ts';
import { ReplayStore } from '../replay/store/replay-store.ts';
import { CappedPast, Display } from './display.ts';

const aircraft = plainRecord;
const drone: LiveRecord = { ...plainRecord, public_track_id: 'RX-D-0000000000000002', track_kind: 'drone' };
const view: Bbox = { west: 8, south: 47, east: 9, north: 48 };

function layerFrame(records: readonly LiveRecord[], state: LayerState = 'fresh'): LayerFrame {
  return {
    state,
    reason: undefined,
    fetchedAt: upstreamInstant(RECORDS_AT_MS),
    failingSince: undefined,
    until: undefined,
    partial: false,
    gaps: [],
    unreadable: 0,
    reception: undefined,
    records: [recordColumns(records)],
  };
}

function frame(asOfMs: number, layers: Partial<Record<Layer, LayerFrame>>, change: Partial<LiveFrame> = {}): LiveFrame {
  return {
    asOf: upstreamInstant(asOfMs),
    delayMs: 0,
    nextPollMs: 5000,
    requested: view,
    covered: [view],
    capped: false,
    layers,
    ...change,
  };
}

let feed: LiveFeed;
let display: Display;
let passedMs: number;

beforeEach(() => {
  passedMs = 0;
  feed = new LiveFeed({ monotonicMs: () => passedMs, wallNow: () => localInstant(passedMs) });
  display = new Display(feed, () => passedMs);
});

const answer = (answered: LiveFrame) => {
  feed.apply(answered);
  feed.age();
};

const letPass = (ms: number) => {
  passedMs += ms;
  feed.age();
};

describe('Display', () => {
  test('an answer is published as a whole by the next ageing; until then the picture and its tracks stay', () => {
    answer(frame(RECORDS_AT_MS, { adsb: layerFrame([aircraft]) }));
    const shown = () => {
      const picture = display.picture();
      return Array.from(picture.slot.subarray(0, picture.count), (slot) => display.tracks.refAt(slot));
    };
    const other: LiveRecord = { ...aircraft, public_track_id: 'RX-0000000000000009' };
    const laterMs = RECORDS_AT_MS + 600_000;
    passedMs = 600_000;
    const observed_at = new Date(laterMs).toISOString();
    const later = frame(laterMs, { adsb: layerFrame([{ ...other, observed_at, stale_after: observed_at }]) });
    feed.apply(later);
    expect(shown()).toEqual([aircraft.public_track_id]);
    feed.age();
    expect(shown()).toEqual([other.public_track_id]);
  });

  test('a failed layer never empties the picture: its last positions age, expire and are then removed', () => {
    answer(frame(RECORDS_AT_MS, { adsb: layerFrame([aircraft]) }));
    passedMs = 5000;
    answer(frame(RECORDS_AT_MS + 5000, { adsb: layerFrame([], 'failed') }));
    const counts = () => display.summary().layers.adsb.counts;
    expect(counts()).toMatchObject({ current: { real: 1 }, expired: { real: 0 } });
    letPass(55_000);
    expect(counts()).toMatchObject({ current: { real: 0 }, expired: { real: 1 } });
    letPass(60_000);
    expect(display.summary().filtered.shown).toBe(0);
  });

  test('the picture keeps ageing while Lookout’s server does not answer, and the time of the failure is reported', () => {
    answer(frame(RECORDS_AT_MS, { adsb: layerFrame([aircraft]) }));
    letPass(10_000);
    feed.lose('unreachable');
    letPass(50_000);
    expect(display.summary().connection).toEqual({ kind: 'unreachable', since: RECORDS_AT_MS + 10_000 });
    expect(display.summary().layers.adsb.counts.expired.real).toBe(1);
  });

  test('over an empty place it counts nothing, while tracks of a home area elsewhere stay, with their emergencies', () => {
    const emergency: LiveRecord = { ...aircraft, emergency_state: 'general' };
    answer(frame(RECORDS_AT_MS, { adsb: layerFrame([emergency]), rid: layerFrame([drone]) }));
    const { filtered: everywhere } = display.summary();
    expect(everywhere).toMatchObject({ shown: 2, received: 2 });
    display.setVisible({ west: -30, south: 40, east: -29.9, north: 40.1 });
    const { filtered, layers, emergencies } = display.summary();
    expect(filtered).toMatchObject({ shown: 0, received: 0 });
    expect(layers.adsb.counts.current.real).toBe(0);
    expect(emergencies.current.real).toBe(1);
    expect(display.picture().count).toBe(2);
  });

  test('an answer that arrives out of order is ignored', () => {
    answer(frame(RECORDS_AT_MS + 5000, { adsb: layerFrame([]) }));
    answer(frame(RECORDS_AT_MS, { adsb: layerFrame([aircraft], 'stale') }));
    expect(display.summary()).toMatchObject({
      now: RECORDS_AT_MS + 5000,
      filtered: { shown: 0 },
      layers: { adsb: { state: 'fresh' } },
    });
  });

  test('an answer after the server’s clock was set back by an hour is not ignored', () => {
    answer(frame(RECORDS_AT_MS + 3_600_000, { adsb: layerFrame([], 'waiting') }));
    passedMs = 5000;
    answer(frame(RECORDS_AT_MS, { adsb: layerFrame([aircraft]) }));
    expect(display.summary()).toMatchObject({
      now: RECORDS_AT_MS,
      filtered: { shown: 1 },
      layers: { adsb: { state: 'fresh' } },
    });
  });

  test('a layer that is switched off disappears at once, and an answer in flight does not bring it back', () => {
    answer(frame(RECORDS_AT_MS, { rid: layerFrame([drone]), adsb: layerFrame([aircraft]) }));
    feed.setLayersOn(new Set(['adsb']));
    answer(frame(RECORDS_AT_MS + 1000, { rid: layerFrame([drone]), adsb: layerFrame([aircraft]) }));
    const { layers, filtered } = display.summary();
    expect(filtered.shown).toBe(1);
    expect(layers.rid).toMatchObject({ on: false, state: undefined, fetchedAt: undefined });
  });

  test('layers are independent: one may fail while the other is fresh', () => {
    answer(frame(RECORDS_AT_MS, { rid: layerFrame([], 'denied'), adsb: layerFrame([aircraft]) }));
    const { layers } = display.summary();
    expect([layers.rid.state, layers.adsb.state]).toEqual(['denied', 'fresh']);
    expect([layers.rid.counts.current.real, layers.adsb.counts.current.real]).toEqual([0, 1]);
  });

  test('a selected track is still reported as last received after it was removed', () => {
    answer(frame(RECORDS_AT_MS, { adsb: layerFrame([aircraft]) }));
    display.select(aircraft.public_track_id);
    letPass(600_000);
    expect(display.summary().selected).toMatchObject({
      position: { ref: aircraft.public_track_id, lon: 8.5 },
      gone: true,
    });
    display.select(undefined);
    expect(display.summary().selected).toBeUndefined();
  });

  test('of several selected tracks each is known by itself: received, ended, or never received', () => {
    display.setSelection(selectionOf([drone.public_track_id, aircraft.public_track_id, 'RX-A-NEVER']));
    answer(frame(RECORDS_AT_MS, { adsb: layerFrame([aircraft]), rid: layerFrame([drone]) }));
    const later = { ...aircraft, observed_at: '2026-11-21T12:10:00.000Z', stale_after: '2026-11-21T12:11:00.000Z' };
    letPass(600_000);
    answer(frame(RECORDS_AT_MS + 600_000, { adsb: layerFrame([later]), rid: layerFrame([]) }));
    const { selection, selectedTracks, selected } = display.summary();
    expect(selection.primary).toBe(drone.public_track_id);
    expect(selected).toBe(selectedTracks.get(drone.public_track_id));
    expect([...selectedTracks].map(([ref, { gone }]) => [ref, gone])).toEqual([
      [drone.public_track_id, true],
      [aircraft.public_track_id, false],
    ]);
    const marked = [...display.picture().style.subarray(0, display.picture().count)].filter(
      (style) => style & MARK_SELECTED,
    );
    expect(marked).toHaveLength(1);
  });

  test('a selection from a link finds its track when the first answer arrives', () => {
    display.select(aircraft.public_track_id);
    expect(display.summary().selected).toBeUndefined();
    answer(frame(RECORDS_AT_MS, { adsb: layerFrame([aircraft]) }));
    expect(display.summary().selected).toMatchObject({ gone: false, position: { ref: aircraft.public_track_id } });
  });

  test('reports `capped` exactly while the map shows more than the covered part', () => {
    const covered: readonly Bbox[] = [
      { west: 165, south: -15, east: 180, north: 15 },
      { west: -180, south: -15, east: -165, north: 15 },
    ];
    answer(frame(RECORDS_AT_MS, {}, { covered, capped: true }));
    expect(display.summary().capped).toBe(true);
    display.setVisible({ west: 165, south: -15, east: -165, north: 15 });
    expect(display.summary().capped).toBe(false);
    display.setVisible({ west: 164, south: -15, east: -165, north: 15 });
    expect(display.summary().capped).toBe(true);
  });

  test('listeners are called after every change, with the new summary', () => {
    const states: (string | undefined)[] = [];
    const stop = display.subscribe(() => states.push(display.summary().layers.adsb.state));
    answer(frame(RECORDS_AT_MS, { adsb: layerFrame([], 'waiting') }));
    answer(frame(RECORDS_AT_MS + 1000, { adsb: layerFrame([]) }));
    stop();
    answer(frame(RECORDS_AT_MS + 2000, { adsb: layerFrame([], 'failed') }));
    expect(states).toEqual(['waiting', 'fresh']);
  });

  test('the picture grows with the number of tracks', () => {
    const many = Array.from({ length: 3000 }, (_, index) => ({
      ...aircraft,
      public_track_id: `RX-A-${String(index).padStart(16, '0')}`,
    }));
    answer(frame(RECORDS_AT_MS, { adsb: layerFrame(many) }));
    expect(display.summary().filtered.shown).toBe(3000);
    expect(display.picture().count).toBe(3000);
  });

  test('a past time replaces the live picture, which continues in the background', () => {
    answer(frame(RECORDS_AT_MS, { adsb: layerFrame([aircraft]) }));
    const start = upstreamInstant(RECORDS_AT_MS - 3_600_000);
    const emptyCursor = new ReplayCursor(new ReplayStore({ window: { start, end: addMs(start, 600_000) } }));
    display.showPast({ tracks: emptyCursor, at: start, area: view });
    expect(display.summary()).toMatchObject({
      isPast: true,
      shownAt: start,
      now: RECORDS_AT_MS,
      filtered: { shown: 0 },
    });
    letPass(5000);
    expect(display.summary()).toMatchObject({ shownAt: start, now: RECORDS_AT_MS + 5000 });
    display.showPast(undefined);
    expect(display.summary()).toMatchObject({ isPast: false, shownAt: RECORDS_AT_MS + 5000, filtered: { shown: 1 } });
  });
});

const loaded = { west: 7, south: 46, east: 9, north: 48 };
const tall = { west: 7.5, south: 45.9, east: 8.5, north: 48.1 };
const lower = { west: tall.west + 1e-9, south: 46.1, east: tall.east - 1e-9, north: 47.9 };

test('a map that shrinks to make room for the notice stays capped, until it is moved, zoomed or reloaded', () => {
  const past = new CappedPast();
  expect(past.isCapped(loaded, lower)).toBe(false);
  expect(past.isCapped(loaded, tall)).toBe(true);
  expect(past.isCapped(loaded, lower)).toBe(true);
  expect(past.isCapped(loaded, lower)).toBe(true);
  expect(past.isCapped({ ...loaded, north: 49 }, lower)).toBe(false);
  expect(past.isCapped(loaded, tall)).toBe(true);
  expect(past.isCapped(loaded, { ...lower, west: 7.6, east: 8.6 })).toBe(false);
  expect(past.isCapped(loaded, lower)).toBe(false);
});

test('a map that shows nothing yet is cut', () => {
  expect(new CappedPast().isCapped(loaded, undefined)).toBe(true);
});
