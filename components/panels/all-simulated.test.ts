import { describe, expect, it } from 'vitest';
import { MARK_COASTED, MARK_DRONE, MARK_SIMULATED, MARK_TEST } from '#lib/picture/mark-style.ts';
import { allSimulated } from './all-simulated.ts';

const drawn = (...marks: number[]) => allSimulated({ count: marks.length, style: Uint16Array.from(marks) });

describe('allSimulated', () => {
  it('holds where every mark is simulated', () => {
    expect(drawn(MARK_SIMULATED, MARK_SIMULATED | MARK_DRONE, MARK_SIMULATED | MARK_TEST)).toBe(true);
  });

  it('does not hold while one mark is not, even where that one is coasted or a test', () => {
    expect(drawn(MARK_SIMULATED, 0)).toBe(false);
    expect(drawn(MARK_SIMULATED, MARK_COASTED)).toBe(false);
    expect(drawn(MARK_SIMULATED, MARK_TEST)).toBe(false);
  });

  it('holds for as long as any mark stands, also where all of them are coasted', () => {
    expect(drawn(MARK_SIMULATED | MARK_COASTED)).toBe(true);
    expect(drawn(MARK_SIMULATED | MARK_COASTED, MARK_SIMULATED)).toBe(true);
  });

  it('does not hold where nothing is drawn', () => {
    expect(drawn()).toBe(false);
  });

  it('reads no further than the marks that are drawn', () => {
    expect(allSimulated({ count: 1, style: Uint16Array.from([MARK_SIMULATED, 0]) })).toBe(true);
  });
});
