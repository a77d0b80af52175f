import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FIELD_NAMES } from '#lib/model/record-fields.ts';
import {
  type ArrangedColumn,
  arrangedColumns,
  DEFAULT_COLUMNS,
  TABLE_COLUMNS,
  withColumnMoved,
  withColumnShown,
} from './table-columns.ts';

const column = fc.constantFrom(...TABLE_COLUMNS);
const kept = fc.array(
  fc.record({ name: fc.oneof(column, fc.string(), fc.constant('__proto__')), isShown: fc.boolean() }),
);
const namesOf = (columns: readonly ArrangedColumn[]) => columns.map(({ name }) => name);
const isWhole = (columns: readonly ArrangedColumn[]) => {
  expect(namesOf(columns).sort()).toEqual([...TABLE_COLUMNS].sort());
  expect(columns.find(({ name }) => name === 'ref')?.isShown).toBe(true);
};

describe('the arrangement of columns', () => {
  test('knows every field of a position, and starts with the usual ones', () => {
    expect(FIELD_NAMES.filter((name) => !TABLE_COLUMNS.includes(name))).toEqual([]);
    expect(DEFAULT_COLUMNS.filter(({ isShown }) => isShown).length).toBeLessThan(TABLE_COLUMNS.length);
    isWhole(DEFAULT_COLUMNS);
  });

  test('has every column once and the reference shown, whatever was kept and done', () => {
    const step = fc.oneof(
      fc.record({ name: column, by: fc.constantFrom(-1, 1) }),
      fc.record({ name: column, isShown: fc.boolean() }),
    );
    fc.assert(
      fc.property(kept, fc.array(step), (before, steps) => {
        let columns = arrangedColumns(before);
        isWhole(columns);
        for (const each of steps) {
          columns =
            'by' in each
              ? withColumnMoved(columns, each.name, each.by)
              : withColumnShown(columns, each.name, each.isShown);
          isWhole(columns);
        }
        expect(arrangedColumns(columns)).toEqual(columns);
      }),
    );
  });

  test('keeps the order that was kept', () => {
    fc.assert(
      fc.property(kept, (before) => {
        const known = before.map(({ name }) => name).filter((name) => TABLE_COLUMNS.some((each) => each === name));
        const expected = [...new Set(known)];
        expect(namesOf(arrangedColumns(before)).slice(0, expected.length)).toEqual(expected);
      }),
    );
  });

  test('a move is undone by the opposite move, except at an end', () => {
    fc.assert(
      fc.property(column, fc.constantFrom<-1 | 1>(-1, 1), (name, by) => {
        const moved = withColumnMoved(DEFAULT_COLUMNS, name, by);
        const back = withColumnMoved(moved, name, by === 1 ? -1 : 1);
        if (moved !== DEFAULT_COLUMNS) expect(back).toEqual(DEFAULT_COLUMNS);
        else expect(name).toBe(namesOf(DEFAULT_COLUMNS).at(by === 1 ? -1 : 0));
      }),
    );
  });
});
