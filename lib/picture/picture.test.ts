import { describe, expect, it } from 'vitest';
import { FLAG_DRONE, FLAG_SIMULATED, FLAG_TEST } from '#lib/model/record-fields.ts';
import { MARK_EXPIRED } from '#lib/picture/mark-style.ts';
import { allSimulated } from './picture.ts';

const drawn = (...marks: number[]) => allSimulated({ count: marks.length, style: Uint16Array.from(marks) });

describe('allSimulated', () => {
  it('is true when every mark is simulated', () => {
    expect(drawn(FLAG_SIMULATED, FLAG_SIMULATED | FLAG_DRONE, FLAG_SIMULATED | FLAG_TEST)).toBe(true);
  });

  it('is false while one mark is not, even if it is expired or a test', () => {
    expect(drawn(FLAG_SIMULATED, 0)).toBe(false);
    expect(drawn(FLAG_SIMULATED, MARK_EXPIRED)).toBe(false);
    expect(drawn(FLAG_SIMULATED, FLAG_TEST)).toBe(false);
  });

  it('is true as long as any mark is drawn, even if all are expired', () => {
    expect(drawn(FLAG_SIMULATED | MARK_EXPIRED)).toBe(true);
    expect(drawn(FLAG_SIMULATED | MARK_EXPIRED, FLAG_SIMULATED)).toBe(true);
  });

  it('is false when nothing is drawn', () => {
    expect(drawn()).toBe(false);
  });

  it('ignores the buffer beyond the drawn marks', () => {
    expect(allSimulated({ count: 1, style: Uint16Array.from([FLAG_SIMULATED, 0]) })).toBe(true);
  });
});
