import { describe, expect, it } from 'vitest';
import { countText } from './count-text.ts';

type Origins = readonly [real: number, simulated: number, test: number];
const origins = ([real, simulated, test]: Origins) => ({ real, simulated, test });
const words = (current: Origins, coasted: Origins = [0, 0, 0]) => {
  const said = countText({ current: origins(current), coasted: origins(coasted) });
  return said.coasted === undefined ? said.current : [said.current, said.coasted];
};

describe('countText', () => {
  it('says 0 where nothing is drawn', () => {
    expect(words([0, 0, 0])).toBe('0');
  });

  it('never adds simulated or test broadcasts to real ones', () => {
    expect(words([24, 4, 0])).toBe('24 + 4 simulated');
    expect(words([3, 0, 1])).toBe('3 + 1 test');
    expect(words([3, 2, 1])).toBe('3 + 2 simulated + 1 test');
  });

  it('does not open with a 0 that reads as an empty sky where only marked traffic is there', () => {
    expect(words([0, 24, 0])).toBe('24 simulated');
    expect(words([0, 2, 1])).toBe('2 simulated + 1 test');
  });

  it('says what is coasted as such, and of which origin', () => {
    expect(words([24, 0, 0], [3, 0, 0])).toEqual(['24', '3 coasted']);
    expect(words([24, 4, 0], [2, 1, 1])).toEqual(['24 + 4 simulated', '2 + 1 simulated + 1 test coasted']);
  });

  it('never says a bare 0 while hollow marks are on the map', () => {
    expect(words([0, 0, 0], [124, 0, 0])).toEqual(['0 current', '124 coasted']);
    expect(words([0, 0, 0], [0, 124, 0])).toEqual(['0 current', '124 simulated coasted']);
  });
});
