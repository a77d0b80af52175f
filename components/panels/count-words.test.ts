import { describe, expect, it } from 'vitest';
import { countWords } from './count-words.ts';

const counts = (real: number, simulated: number, test: number) => ({ real, simulated, test, coasted: 7 });

describe('countWords', () => {
  it('says 0 where nothing is current, whatever is coasted', () => {
    expect(countWords(counts(0, 0, 0))).toBe('0');
  });

  it('never adds simulated or test broadcasts to real ones', () => {
    expect(countWords(counts(24, 4, 0))).toBe('24 + 4 simulated');
    expect(countWords(counts(3, 0, 1))).toBe('3 + 1 test');
    expect(countWords(counts(3, 2, 1))).toBe('3 + 2 simulated + 1 test');
  });

  it('does not open with a 0 that reads as an empty sky where only marked traffic is there', () => {
    expect(countWords(counts(0, 24, 0))).toBe('24 simulated');
    expect(countWords(counts(0, 2, 1))).toBe('2 simulated + 1 test');
  });
});
