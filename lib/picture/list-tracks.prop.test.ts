import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FLAG_DRONE, FLAG_SIMULATED, FLAG_TEST } from '#lib/model/record-fields.ts';
import { drawnOf, drawPicture } from './draw-picture.ts';
import type { SortKey } from './list-tracks.ts';
import { listSlots, PLAIN_LIST, TrackLister } from './list-tracks.ts';
import { MARK_EMERGENCY } from './mark-style.ts';
import { makePicture } from './picture.ts';
import { columnValues, type ListedTracks, TABLE_COLUMNS } from './table-columns.ts';
import { makeTrackColumns } from './track-columns.ts';

const nowMs = 1_000_000;
const numbers = ['altitudeM', 'heightAglM', 'speedMps', 'headingDeg', 'confidenceScore', 'receiverCount'] as const;
const reported = fc.oneof(fc.integer({ min: -50, max: 50 }), fc.constant(Number.NaN));
const track = fc.record({
  value: reported,
  label: fc.option(fc.constantFrom('single', 'stale', 'näher', ''), { nil: undefined }),
  style: fc
    .subarray([FLAG_DRONE, FLAG_SIMULATED, FLAG_TEST, MARK_EMERGENCY])
    .map((bits) => bits.reduce((sum, bit) => sum | bit, 0)),
});
type Track = typeof track extends fc.Arbitrary<infer T> ? T : never;
const list = fc.array(track, { maxLength: 40 });
const key: fc.Arbitrary<SortKey> = fc.record({ column: fc.constantFrom(...TABLE_COLUMNS), descending: fc.boolean() });
const order = fc.array(key, { maxLength: 2 });
const from = fc.option(
  fc.record({ lon: fc.integer({ min: -180, max: 179 }), lat: fc.integer({ min: -90, max: 90 }) }),
  {
    nil: undefined,
  },
);

/** Every number of a slot is its value. */
function tracksOf(list: readonly Track[]): ListedTracks {
  const columns = makeTrackColumns(64);
  columns.end = list.length;
  for (const [slot, { value, style }] of list.entries()) {
    columns.used[slot] = 1;
    columns.style[slot] = style;
    for (const name of numbers) columns[name][slot] = value;
    columns.lon[slot] = columns.lat[slot] = Number.isNaN(value) ? 0 : value;
    columns.observedAtMs[slot] = nowMs - 1000 - (Number.isNaN(value) ? 0 : value);
    columns.staleAfterMs[slot] = value;
    columns.expiresAtMs[slot] = nowMs + 1;
  }
  return {
    atMs: nowMs,
    columns,
    refAt: (slot) => `RX-A-${String((slot * 37) % 64).padStart(4, '0')}`,
    labelAt: (slot) => list[slot]?.label,
  };
}

const degrees = fc.integer({ min: -60, max: 60 });
const box = fc.record({ west: degrees, south: degrees, east: degrees, north: degrees });

describe('a list', () => {
  test('has the tracks in view that the counts of the picture name, also across 180°', () => {
    fc.assert(
      fc.property(list, box, (list, inside) => {
        const tracks = tracksOf(list);
        const { shown } = drawPicture(tracks.columns, nowMs, [], makePicture(64), { counted: inside });
        const rows = new TrackLister().list(tracks, { ...PLAIN_LIST, inside });
        expect(rows.listed).toBe(drawnOf(shown.aircraft) + drawnOf(shown.drone));
        expect(rows.listed + rows.elsewhere).toBe(list.length);
      }),
    );
  });

  test('contains each track exactly once, whatever the order, grouped or not', () => {
    fc.assert(
      fc.property(list, order, from, fc.boolean(), fc.boolean(), (list, order, from, grouped, emergenciesFirst) => {
        const rows = listSlots(tracksOf(list), { order, from, grouped, emergenciesFirst });
        const slots = [...rows].filter((row) => row >= 0);
        expect(slots.sort((a, b) => a - b)).toEqual(list.map((_, slot) => slot));
      }),
    );
  });

  test('is in order by its first column, and among equals by its second; "not reported" is last in both directions', () => {
    fc.assert(
      fc.property(list, key, key, from, (list, first, second, from) => {
        const tracks = tracksOf(list);
        const slots = [...listSlots(tracks, { order: [first, second], from })];
        const numberOf = ({ column }: SortKey) => {
          if (column === 'ref') return (slot: number) => Number(tracks.refAt(slot).slice(-4));
          const values = columnValues(tracks, column, from, slots, new Float64Array(64));
          return (slot: number) => values[slot] as number;
        };
        const rank = (key: SortKey, of: (slot: number) => number, slot: number) =>
          Number.isNaN(of(slot)) ? Number.POSITIVE_INFINITY : (key.descending ? -1 : 1) * of(slot);
        const [ofFirst, ofSecond] = [numberOf(first), numberOf(second)];
        for (const [at, slot] of slots.entries()) {
          const next = slots[at + 1];
          if (next === undefined) continue;
          const [one, other] = [rank(first, ofFirst, slot), rank(first, ofFirst, next)];
          expect(one).toBeLessThanOrEqual(other);
          if (one === other) expect(rank(second, ofSecond, slot)).toBeLessThanOrEqual(rank(second, ofSecond, next));
        }
      }),
    );
  });

  test('of equal values keeps its order from one time to the next, so that rows do not jump', () => {
    fc.assert(
      fc.property(list, order, fc.boolean(), (list, order, grouped) => {
        const lister = new TrackLister();
        const question = { ...PLAIN_LIST, order, grouped };
        const { rows } = lister.list(tracksOf(list), question);
        expect(lister.list(tracksOf(list), question).rows).toEqual(rows);
        expect(lister.list(tracksOf(list), question, false).rows).toEqual(rows);
      }),
    );
  });

  test('has as many rows of a group as its heading counts', () => {
    fc.assert(
      fc.property(list, fc.boolean(), (list, emergenciesFirst) => {
        const { rows, groups } = new TrackLister().list(tracksOf(list), {
          ...PLAIN_LIST,
          grouped: true,
          emergenciesFirst,
        });
        const headings = [...rows.keys()].filter((at) => (rows[at] as number) < 0);
        const lengths = headings.map((at, index) => (headings[index + 1] ?? rows.length) - at - 1);
        expect(groups.map(({ counts: { current } }) => current.real + current.simulated + current.test)).toEqual(
          lengths,
        );
      }),
    );
  });
});
