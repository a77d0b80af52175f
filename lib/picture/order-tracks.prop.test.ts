import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { orderTracks, type SortColumn } from './order-tracks.ts';
import { makeTrackColumns, type TrackColumns } from './track-columns.ts';

const nowMs = 1_000_000;
const numberColumns = ['altitudeM', 'heightAglM', 'speedMps', 'headingDeg', 'observedAtMs'] as const;
const column = fc.constantFrom<SortColumn>('kind', 'ref', ...numberColumns);
const reported = fc.oneof(fc.integer({ min: -50, max: 50 }), fc.constant(Number.NaN));
const values = fc.array(reported, { maxLength: 40 });
const everywhere = { text: '', inside: undefined };

/** Every number column of a slot contains its value; references are distinct and unordered. */
function columnsOf(list: readonly number[]): { columns: TrackColumns; refAt: (slot: number) => string } {
  const columns = makeTrackColumns(64);
  columns.end = list.length;
  for (const [slot, value] of list.entries()) {
    columns.used[slot] = 1;
    columns.style[slot] = slot % 2;
    for (const name of numberColumns) columns[name][slot] = value;
    columns.expiresAtMs[slot] = nowMs + 1;
  }
  return { columns, refAt: (slot) => `RX-A-${String((slot * 37) % 64).padStart(4, '0')}` };
}

const ordered = (list: readonly number[], name: SortColumn, descending: boolean) => {
  const { columns, refAt } = columnsOf(list);
  return [...orderTracks(columns, refAt, nowMs, everywhere, { column: name, descending })];
};

describe('orderTracks', () => {
  test('contains each track exactly once, whatever the order', () => {
    fc.assert(
      fc.property(values, column, fc.boolean(), (list, name, descending) => {
        const slots = ordered(list, name, descending);
        expect([...slots].sort((a, b) => a - b)).toEqual(list.map((_, slot) => slot));
      }),
    );
  });

  test('"not reported" is last in both directions, and the rest is in order', () => {
    fc.assert(
      fc.property(values, fc.constantFrom(...numberColumns), fc.boolean(), (list, name, descending) => {
        const shown = ordered(list, name, descending).map((slot) => list[slot] as number);
        const known = list.filter((value) => !Number.isNaN(value)).sort((a, b) => (descending ? b - a : a - b));
        expect(shown).toEqual([...known, ...list.filter(Number.isNaN)]);
      }),
    );
  });

  test('tracks with equal values keep their order from one call to the next, so that rows do not jump', () => {
    fc.assert(
      fc.property(values, column, fc.boolean(), (list, name, descending) => {
        const { columns, refAt } = columnsOf(list);
        const order = { column: name, descending };
        const first = orderTracks(columns, refAt, nowMs, everywhere, order);
        expect(orderTracks(columns, refAt, nowMs, everywhere, order, first)).toEqual(first);
      }),
    );
  });
});
