import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TABLE_COLUMNS } from '#lib/picture/table-columns.ts';
import { INITIAL_ORDER, orderAfterClick, orderAfterShiftClick, orderSchema, sortOf } from './sort-order.ts';

const column = fc.constantFrom(...TABLE_COLUMNS);
const clicks = fc.array(fc.record({ column, withShift: fc.boolean() }), { maxLength: 12 });

describe('the order of the table', () => {
  test('is by one column after a click, and by two after a click with Shift', () => {
    const once = orderAfterClick(INITIAL_ORDER, 'headingDeg');
    expect(sortOf(once, 'headingDeg')).toEqual({ place: 1, direction: 'ascending' });
    expect(sortOf(orderAfterClick(once, 'headingDeg'), 'headingDeg')?.direction).toBe('descending');
    const twice = orderAfterShiftClick(once, 'age');
    expect(sortOf(twice, 'headingDeg')).toEqual({ place: 1, direction: 'ascending' });
    expect(sortOf(twice, 'age')).toEqual({ place: 2, direction: 'ascending' });
    expect(sortOf(orderAfterShiftClick(twice, 'age'), 'age')).toEqual({ place: 2, direction: 'descending' });
    expect(sortOf(orderAfterShiftClick(twice, 'kind'), 'age')).toBeUndefined();
    expect(sortOf(orderAfterClick(twice, 'age'), 'headingDeg')).toBeUndefined();
  });

  test.each(['altitudeM', 'heightAglM', 'speedMps'] as const)('begins with the largest value of %s', (column) => {
    const once = orderAfterClick(INITIAL_ORDER, column);
    expect(sortOf(once, column)?.direction).toBe('descending');
    expect(sortOf(orderAfterClick(once, column), column)?.direction).toBe('ascending');
    expect(sortOf(orderAfterShiftClick(INITIAL_ORDER, column), column)?.direction).toBe('descending');
  });

  test('has one or two columns, never one twice, and can be kept, whatever is clicked', () => {
    fc.assert(
      fc.property(clicks, (clicks) => {
        let order = INITIAL_ORDER;
        for (const { column, withShift } of clicks) {
          const next = (withShift ? orderAfterShiftClick : orderAfterClick)(order, column);
          expect(next).not.toEqual(order);
          expect(sortOf(next, column)).toBeDefined();
          order = next;
        }
        expect(orderSchema.parse(JSON.parse(JSON.stringify(order)))).toEqual(order);
      }),
    );
  });

  test.each([
    [],
    [{ column: 'size', descending: false }],
    [INITIAL_ORDER[0], INITIAL_ORDER[0]],
    { column: 'ref', descending: true },
  ])('%j is none', (kept) => {
    expect(orderSchema.safeParse(kept).success).toBe(false);
  });
});
