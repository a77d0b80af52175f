import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CsvValue, csvRows } from './csv.ts';

const FORMULA = /^(?:[\t\r\n]|[\s\p{C}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/u;
const hostile = fc.constantFrom(
  ...['a,b', 'he said "no"', 'two\r\nlines', 'two\nlines', 'two\rlines', 'note\n=1+1', 'note\r=1+1', ' ', '"', "'"],
  ...['=1+1', '+1', '-1+cmd|calc', '@SUM(A1)', '\t=1', '\r=1', '\n=1', ' =1', '\u200B=1', '\uFEFF@x', '\uFF1D1'],
);
const value: fc.Arbitrary<CsvValue> = fc.oneof(
  hostile,
  fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constantFrom(null, undefined),
);
const table = fc.array(fc.array(value, { minLength: 2, maxLength: 5 }), { maxLength: 5 });

/** Without `record_delimiter`, the parser takes the first line break outside quotes for the one of all rows. */
const readings = [{}, { record_delimiter: '\r\n' }];

test('is read back cell by cell, also where every line break ends a row', () => {
  fc.assert(
    fc.property(table, fc.constantFrom(...readings), (rows, reading) => {
      const read = parse(csvRows(rows), { relax_column_count: true, ...reading }) as string[][];
      expect(read).toEqual(
        rows.map((cells) =>
          cells.map((each) => (typeof each === 'string' && FORMULA.test(each) ? `'${each}` : String(each ?? ''))),
        ),
      );
    }),
  );
});

test('has no cell that a spreadsheet would run, and every number as a number', () => {
  fc.assert(
    fc.property(table, (rows) => {
      const read = parse(csvRows(rows), { relax_column_count: true }) as string[][];
      for (const [row, cells] of rows.entries())
        for (const [column, each] of cells.entries()) {
          if (typeof each === 'number') expect(Number(read[row]?.[column])).toBe(each + 0);
          else expect(read[row]?.[column]).not.toMatch(FORMULA);
        }
    }),
  );
});
