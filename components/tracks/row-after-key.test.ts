import { describe, expect, it } from 'vitest';
import { isRowKey, rowAfterKey } from './track-table.tsx';

describe('rowAfterKey', () => {
  it('never leaves the list', () => {
    for (const key of ['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End']) {
      for (const row of [undefined, 0, 1, 2]) {
        const next = rowAfterKey(key, row, 3, 10);
        expect(next).toBeGreaterThanOrEqual(0);
        expect(next).toBeLessThan(3);
      }
    }
  });

  it('moves by row and by page', () => {
    expect(rowAfterKey('ArrowDown', 4, 100, 10)).toBe(5);
    expect(rowAfterKey('ArrowUp', 4, 100, 10)).toBe(3);
    expect(rowAfterKey('PageDown', 4, 100, 10)).toBe(14);
    expect(rowAfterKey('End', 4, 100, 10)).toBe(99);
  });

  it('owns every key that moves in a list, even an empty one', () => {
    for (const key of ['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End']) {
      expect([isRowKey(key), rowAfterKey(key, undefined, 0, 10)]).toEqual([true, undefined]);
    }
    expect(['ArrowLeft', 'ArrowRight', 'Escape', 'r'].filter(isRowKey)).toEqual([]);
  });

  it('starts at the near end, and does not move in an empty list or with another key', () => {
    expect(rowAfterKey('ArrowDown', undefined, 100, 10)).toBe(0);
    expect(rowAfterKey('ArrowUp', undefined, 100, 10)).toBe(99);
    expect(rowAfterKey('ArrowDown', undefined, 0, 10)).toBeUndefined();
    expect(rowAfterKey('x', 4, 100, 10)).toBeUndefined();
  });
});
