import { describe, expect, it } from 'vitest';
import { FLAG_DRONE } from '#lib/model/record-fields.ts';
import { type ListQuestion, listSlots, PLAIN_LIST, TrackLister } from './list-tracks.ts';
import { EMERGENCY_AS_TEXT, MARK_EMERGENCY } from './mark-style.ts';
import type { ListedTracks, TableColumn } from './table-columns.ts';
import { makeTrackColumns } from './track-columns.ts';

const nowMs = 1_000_000;

/** Aircraft, drone, aircraft of unknown altitude, removed, expired. */
const refs = ['RX-A-0000C', 'RX-D-0000F', 'RX-A-0000D', 'RX-A-0000B', 'RX-A-9000E'];
const columns = makeTrackColumns(8);
columns.end = refs.length;
refs.forEach((_, slot) => {
  columns.used[slot] = 1;
  columns.observedAtMs[slot] = nowMs - 1000 * slot;
  columns.expiresAtMs[slot] = nowMs + 30_000;
  columns.altitudeM[slot] = 100 * slot;
  columns.lon[slot] = slot;
  columns.lat[slot] = 47;
});
columns.style[1] = FLAG_DRONE;
columns.altitudeM[2] = Number.NaN;
columns.expiresAtMs[3] = nowMs - 600_000;
columns.expiresAtMs[4] = nowMs - 1000;

const confidences = ['single', 'multi_station', undefined, 'single', 'single'];
const tracks: ListedTracks = {
  atMs: nowMs,
  columns,
  refAt: (slot) => refs[slot] as string,
  labelAt: (slot, name) => (name === 'confidence' ? confidences[slot] : undefined),
};

const by = (column: TableColumn, descending = false) => ({ column, descending });
const listed = (question: Partial<ListQuestion>) => [...listSlots(tracks, question)];
const ordered = (column: TableColumn, descending = false) => listed({ order: [by(column, descending)] });

describe('the order of a list', () => {
  it('contains the drawn tracks: expired ones, but no removed ones', () => {
    expect(ordered('observedAt')).toEqual([4, 2, 1, 0]);
    expect(ordered('age')).toEqual([0, 1, 2, 4]);
  });

  it('puts "not reported" last in both directions', () => {
    expect(ordered('altitudeM')).toEqual([0, 1, 4, 2]);
    expect(ordered('altitudeM', true)).toEqual([4, 1, 0, 2]);
    expect(ordered('confidence')).toEqual([1, 0, 4, 2]);
    expect(ordered('confidence', true)).toEqual([0, 4, 1, 2]);
  });

  it('is by kind, and by the end of the reference, which tables show', () => {
    expect(ordered('kind', true)).toEqual([1, 0, 2, 4]);
    expect(ordered('ref')).toEqual([0, 2, 1, 4]);
  });

  it('is by a second column where the first is equal', () => {
    expect(listed({ order: [by('kind'), by('altitudeM', true)] })).toEqual([4, 0, 2, 1]);
    expect(listed({ order: [by('confidence', true), by('ref', true)] })).toEqual([4, 0, 1, 2]);
  });

  it('is by distance and bearing from a place, and by neither without one', () => {
    const from = { lon: 1.9, lat: 47 };
    expect(listed({ from, order: [by('distance')] })).toEqual([2, 1, 0, 4]);
    expect(listed({ from, order: [by('bearing')] }).slice(0, 2)).toEqual([4, 2]);
    expect(listed({ order: [by('distance', true)] })).toEqual([0, 1, 2, 4]);
  });

  it('is kept until it is due, with new tracks at its end', () => {
    const lister = new TrackLister();
    const byRef = { ...PLAIN_LIST, order: [by('ref')] };
    expect([...lister.list(tracks, { ...byRef, text: 'rx-a' }).rows]).toEqual([0, 2, 4]);
    expect([...lister.list(tracks, byRef, false).rows]).toEqual([0, 2, 4, 1]);
    expect([...lister.list(tracks, byRef).rows]).toEqual([0, 2, 1, 4]);
  });
});

describe('what narrows a list', () => {
  it('is any part of the reference, ignoring case, and a box', () => {
    const order = [by('ref')];
    expect(listed({ order, text: ' rx-a-' })).toEqual([0, 2, 4]);
    expect(listed({ order, inside: { west: 1, south: 40, east: 3, north: 50 } })).toEqual([2, 1]);
  });

  it('is the word "emergency" or its value, and unknown values by the value alone', () => {
    const values = ['nordo', undefined, 'odd', undefined, 'general'];
    const reported: ListedTracks = {
      ...tracks,
      columns: { ...columns, style: Uint16Array.of(MARK_EMERGENCY, 0, EMERGENCY_AS_TEXT, 0, MARK_EMERGENCY) },
      labelAt: (slot) => values[slot],
    };
    const found = (text: string) => [...listSlots(reported, { text })];
    expect(found('Emergency')).toEqual([0, 4]);
    expect(found('emerg')).toEqual([0, 4]);
    expect(found('NORDO')).toEqual([0]);
    expect(found('odd')).toEqual([2]);
    expect(found('9000')).toEqual([4]);
    expect(found('emergency nordo')).toEqual([]);
  });

  it('is a range of a column, and counts the tracks without a value, shown or hidden', () => {
    const altitude = (unknown: 'show' | 'hide') =>
      new TrackLister().list(tracks, {
        ...PLAIN_LIST,
        ranges: new Map([['altitudeM', { from: 100, to: 400 }]]),
        unknown,
      });
    expect(altitude('show')).toMatchObject({ rows: Int32Array.of(1, 2), listed: 2, drawn: 4 });
    expect(altitude('hide')).toMatchObject({ rows: Int32Array.of(1), listed: 1, drawn: 4 });
    for (const unknown of ['show', 'hide'] as const) expect([...altitude(unknown).unknown]).toEqual([['altitudeM', 1]]);
  });
});

describe('emergencies and groups', () => {
  const reported: ListedTracks = {
    ...tracks,
    columns: { ...columns, style: Uint16Array.of(0, MARK_EMERGENCY | FLAG_DRONE, FLAG_DRONE, 0, MARK_EMERGENCY) },
  };
  const order = [by('observedAt')];

  it('known emergencies come first by choice, and the order is kept otherwise', () => {
    expect([...listSlots(reported, { order, emergenciesFirst: true })]).toEqual([4, 1, 2, 0]);
    expect([...listSlots(tracks, { order, emergenciesFirst: true })]).toEqual([4, 2, 1, 0]);
  });

  it('each kind has a heading with its counts; emergencies that come first have their own', () => {
    const grouped = (emergenciesFirst: boolean) => {
      const { rows, groups } = new TrackLister().list(reported, {
        ...PLAIN_LIST,
        order,
        grouped: true,
        emergenciesFirst,
      });
      return [[...rows], groups.map(({ name, counts }) => [name, counts.current.real, counts.expired.real])];
    };
    expect(grouped(true)).toEqual([
      [-1, 4, 1, -2, 0, -3, 2],
      [
        ['emergency', 1, 1],
        ['aircraft', 1, 0],
        ['drone', 1, 0],
      ],
    ]);
    expect(grouped(false)).toEqual([
      [-1, 4, 0, -2, 2, 1],
      [
        ['aircraft', 1, 1],
        ['drone', 2, 0],
      ],
    ]);
  });
});
