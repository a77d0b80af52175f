import { describe, expect, it } from 'vitest';
import { UNIT_SYSTEMS } from '#lib/model/units.ts';
import { orderAfterClick, shownColumns, shownDirection } from './shown-columns.ts';

describe('the table’s columns', () => {
  it('sort ascending at first, and reverse with each further click', () => {
    for (const { sort } of shownColumns('metric')) {
      const other = { column: sort === 'ref' ? 'kind' : 'ref', descending: true } as const;
      const once = orderAfterClick(other, sort);
      expect(shownDirection(once, sort)).toBe('ascending');
      expect(shownDirection(orderAfterClick(once, sort), sort)).toBe('descending');
    }
  });

  it('report the direction of ages, not of times: newest first is ascending', () => {
    expect(shownDirection({ column: 'observedAtMs', descending: true }, 'observedAtMs')).toBe('ascending');
  });

  it('have distinct names, with their unit, in every system of units', () => {
    for (const units of UNIT_SYSTEMS) {
      const long = shownColumns(units).map((column) => column.long);
      expect(new Set(long).size).toBe(long.length);
    }
    expect(shownColumns('aviation').map(({ short }) => short)).toContain('Alt ft');
  });
});
