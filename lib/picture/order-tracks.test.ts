import { describe, expect, it } from 'vitest';
import { FLAG_DRONE } from '#lib/model/record-fields.ts';
import { EMERGENCY_AS_TEXT, MARK_EMERGENCY } from './mark-style.ts';
import { emergenciesFirst, orderTracks, type SortColumn, type TrackSearch } from './order-tracks.ts';
import { makeTrackColumns } from './track-columns.ts';

const nowMs = 1_000_000;
const everywhere: TrackSearch = { text: '', inside: undefined };

/** Slots 0…4: an aircraft, a drone, an aircraft of unknown altitude, a removed one, a coasted one. */
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

const ordered = (column: SortColumn, descending = false, search = everywhere, earlier?: number[]) => [
  ...orderTracks(
    columns,
    (slot) => refs[slot] as string,
    nowMs,
    search,
    { column, descending },
    earlier && Uint32Array.from(earlier),
  ),
];

describe('orderTracks', () => {
  it('contains the drawn tracks: coasted ones, but no removed ones', () => {
    expect(ordered('observedAtMs')).toEqual([4, 2, 1, 0]);
  });

  it('puts "not reported" last in both directions', () => {
    expect(ordered('altitudeM')).toEqual([0, 1, 4, 2]);
    expect(ordered('altitudeM', true)).toEqual([4, 1, 0, 2]);
  });

  it('orders by kind, and by the end of the reference, which tables show', () => {
    expect(ordered('kind', true)).toEqual([1, 0, 2, 4]);
    expect(ordered('ref')).toEqual([0, 2, 1, 4]);
  });

  it('gives the same order for any earlier one, even with removed or missing slots', () => {
    for (const earlier of [[], [1, 4, 2, 0], [3, 2, 7], [0, 2, 1, 4]]) {
      expect(ordered('ref', false, everywhere, earlier)).toEqual([0, 2, 1, 4]);
      expect(ordered('ref', true, everywhere, earlier)).toEqual([4, 1, 2, 0]);
    }
  });

  it('matches any part of the reference, ignoring case, and only inside the box', () => {
    expect(ordered('ref', false, { text: ' rx-a-', inside: undefined })).toEqual([0, 2, 4]);
    expect(ordered('ref', false, { text: '', inside: { west: 1, south: 40, east: 3, north: 50 } })).toEqual([2, 1]);
  });

  it('finds emergencies by the word and by their value, and unknown values by the value alone', () => {
    const values = ['nordo', undefined, 'odd', undefined, 'general'];
    const reported = { ...columns, style: Uint16Array.of(MARK_EMERGENCY, 0, EMERGENCY_AS_TEXT, 0, MARK_EMERGENCY) };
    const found = (text: string) => [
      ...orderTracks(
        reported,
        (slot) => refs[slot] as string,
        nowMs,
        { text, inside: undefined, emergencyAt: (slot) => values[slot] },
        { column: 'observedAtMs', descending: true },
      ),
    ];
    expect(found('Emergency')).toEqual([0, 4]);
    expect(found('emerg')).toEqual([0, 4]);
    expect(found('NORDO')).toEqual([0]);
    expect(found('odd')).toEqual([2]);
    expect(found('9000')).toEqual([4]);
    expect(found('emergency nordo')).toEqual([]);
  });
});

describe('emergenciesFirst', () => {
  it('moves known emergencies to the front and keeps the order otherwise', () => {
    const reported = { ...columns, style: Uint16Array.of(0, MARK_EMERGENCY, EMERGENCY_AS_TEXT, 0, MARK_EMERGENCY) };
    expect([...emergenciesFirst(reported, Uint32Array.of(0, 4, 2, 1))]).toEqual([4, 1, 0, 2]);
    expect([...emergenciesFirst(reported, Uint32Array.of(0, 2))]).toEqual([0, 2]);
  });
});
