import { describe, expect, it } from 'vitest';
import { nearestStop, sheetHeights } from './sheet-stops.ts';

describe('sheet stops', () => {
  const heights = sheetHeights(100, 800);

  it('never rest lower than the header, which carries the state of the layers', () => {
    expect(sheetHeights(300, 200)).toEqual({ peek: 300, half: 300, full: 300 });
  });

  it('catch a sheet where it was let go', () => {
    expect(nearestStop(0, heights)).toBe('peek');
    expect(nearestStop(150, heights)).toBe('peek');
    expect(nearestStop(400, heights)).toBe('half');
    expect(nearestStop(790, heights)).toBe('full');
    expect(nearestStop(5000, heights)).toBe('full');
  });
});
