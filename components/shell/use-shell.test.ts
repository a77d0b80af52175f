import { describe, expect, it } from 'vitest';
import { nearestStop, sheetHeights } from './use-shell.ts';

describe('sheet stops', () => {
  const heights = sheetHeights(100, 800);

  it('are never lower than the header, which names the selected track', () => {
    expect(sheetHeights(300, 200)).toEqual({ peek: 300, half: 300, full: 300 });
  });

  it('snap a released sheet to the nearest stop', () => {
    expect(nearestStop(0, heights)).toBe('peek');
    expect(nearestStop(150, heights)).toBe('peek');
    expect(nearestStop(400, heights)).toBe('half');
    expect(nearestStop(790, heights)).toBe('full');
    expect(nearestStop(5000, heights)).toBe('full');
  });
});
