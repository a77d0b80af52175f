import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRangeText } from '#lib/filter/read-range.ts';
import { NO_FILTER } from '#lib/filter/track-filter.ts';
import { UNIT_SYSTEMS } from '#lib/model/units.ts';
import { TABLE_COLUMNS } from '#lib/picture/table-columns.ts';
import {
  afterChoice,
  type ChoiceColumn,
  choicesOf,
  chosenOf,
  filterField,
  isCircular,
  LISTED_COLUMNS,
  NO_NARROWING,
  narrowingSchema,
  narrowingTexts,
  rangeFieldText,
  scaleOf,
  storedRange,
  unknownListedTexts,
} from './filter-fields.ts';

const rangeColumns = TABLE_COLUMNS.flatMap((name) => {
  const field = filterField(name);
  return field.is === 'page-range' || field.is === 'list-range' ? [field.column] : [];
});
const choiceColumns = ['kind', 'emergencyState', 'simulated', 'testBroadcast'] as const satisfies ChoiceColumn[];

describe('the filter row', () => {
  test('has a field for every column but the times, which are filtered by age', () => {
    expect(TABLE_COLUMNS.filter((name) => filterField(name).is === 'by-age')).toEqual(['observedAt', 'staleAfter']);
  });

  test('a typed range is written back unchanged, in every system of units', () => {
    const end = fc.integer({ min: -900, max: 9000 }).map((value) => value / 10);
    fc.assert(
      fc.property(
        fc.constantFrom(...rangeColumns),
        fc.constantFrom(...UNIT_SYSTEMS),
        fc.option(end, { nil: undefined }),
        fc.option(end, { nil: undefined }),
        (column, units, from, to) => {
          const typed = `${from ?? ''}..${to ?? ''}`;
          const read = readRangeText(typed, isCircular(column));
          fc.pre(read.problem === undefined && read.range !== undefined);
          const stored = storedRange(read.range, scaleOf(column, units));
          expect(rangeFieldText(stored, scaleOf(column, units))).toBe(typed);
        },
      ),
    );
  });

  test('each choice is what the page’s filter then has; the empty one is none', () => {
    for (const column of choiceColumns) {
      for (const [value] of [...choicesOf(column), ['', 'all'] as const]) {
        const filter = { ...NO_FILTER, ...afterChoice(column, value) };
        expect(chosenOf(filter, column) ?? '').toBe(value);
      }
    }
  });
});

describe('a restriction of the table', () => {
  test('has a text in words and displayed units', () => {
    const narrowing = { text: ' 7f3 ', inViewOnly: true, ranges: { distance: { from: undefined, to: 9260 } } };
    expect(narrowingTexts(narrowing, 'aviation')).toEqual(['“7f3”', 'distance ..5']);
    expect(narrowingTexts(NO_NARROWING, 'metric')).toEqual([]);
  });

  test('counts the tracks without such a value, shown or hidden', () => {
    const unknown = new Map([
      ['headingDeg', 1],
      ['confidenceScore', 3],
      ['distance', 0],
    ]);
    expect(unknownListedTexts(unknown, 'show')).toEqual([
      '1 with unknown heading is shown',
      '3 with unknown score are shown',
    ]);
    expect(unknownListedTexts(unknown, 'hide')[1]).toBe('3 with unknown score are hidden');
  });

  test('is kept over a reload; what cannot be read is dropped', () => {
    const range = fc
      .record({ from: fc.option(fc.integer(), { nil: undefined }), to: fc.option(fc.integer(), { nil: undefined }) })
      .filter(({ from, to }) => from !== undefined || to !== undefined);
    fc.assert(
      fc.property(
        fc.string(),
        fc.boolean(),
        fc.dictionary(fc.constantFrom(...LISTED_COLUMNS), range),
        (text, inViewOnly, ranges) => {
          const kept = JSON.parse(JSON.stringify({ text, inViewOnly, ranges }));
          expect(narrowingSchema.parse(kept)).toEqual({ text, inViewOnly, ranges });
        },
      ),
    );
    expect(narrowingSchema.parse({ text: 7, ranges: { size: { from: 1 } } })).toEqual(NO_NARROWING);
    expect(narrowingSchema.parse({ text: 'a', ranges: { lat: {} } })).toEqual({ ...NO_NARROWING, text: 'a' });
  });
});
