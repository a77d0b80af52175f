import { describe, expect, it } from 'vitest';
import type { LayerCounts } from '#lib/picture/draw-picture.ts';
import { countLine, countText } from './count-text.ts';

type Origins = readonly [real: number, simulated: number, test: number];
const origins = ([real, simulated, test]: Origins) => ({ real, simulated, test });
const lineOf = (current: Origins, expired: Origins, shown?: LayerCounts) => {
  const received = { current: origins(current), expired: origins(expired) };
  return countLine(received, shown ?? received);
};
const texts = (current: Origins, expired: Origins = [0, 0, 0], shown?: LayerCounts) => {
  const received = { current: origins(current), expired: origins(expired) };
  const text = countText(received, shown ?? received);
  return text.expired === undefined ? text.current : [text.current, text.expired];
};

describe('countText', () => {
  it('says 0 when nothing is drawn', () => {
    expect(texts([0, 0, 0])).toBe('0');
  });

  it('never adds simulated or test broadcasts to real ones', () => {
    expect(texts([24, 4, 0])).toBe('24 + 4 simulated');
    expect(texts([3, 0, 1])).toBe('3 + 1 test');
    expect(texts([3, 2, 1])).toBe('3 + 2 simulated + 1 test');
  });

  it('does not start with a 0, which reads as an empty sky, when all traffic is simulated or test', () => {
    expect(texts([0, 24, 0])).toBe('24 simulated');
    expect(texts([0, 2, 1])).toBe('2 simulated + 1 test');
  });

  it('counts expired positions separately, by origin', () => {
    expect(texts([24, 0, 0], [3, 0, 0])).toEqual(['24', '3 expired']);
    expect(texts([24, 4, 0], [2, 1, 1])).toEqual(['24 + 4 simulated', '2 + 1 simulated + 1 test expired']);
  });

  it('counts what a filter hides, by origin, and says nothing of what it shows entirely', () => {
    const shown = { current: origins([2, 4, 0]), expired: origins([0, 0, 1]) };
    expect(texts([24, 4, 0], [2, 0, 1], shown)).toEqual(['2 of 24 + 4 simulated', '0 of 2 + 1 test expired']);
  });

  it('never says a bare 0 while hollow marks are on the map', () => {
    expect(texts([0, 0, 0], [124, 0, 0])).toEqual(['0 current', '124 expired']);
    expect(texts([0, 0, 0], [0, 124, 0])).toEqual(['0 current', '124 simulated expired']);
  });
});

describe('countLine', () => {
  it('names once an origin that all positions share', () => {
    expect(lineOf([0, 61, 0], [0, 1, 0])).toBe('Simulated: 61 · 1 expired');
    expect(lineOf([0, 0, 3], [0, 0, 2])).toBe('Test: 3 · 2 expired');
    const shown = { current: origins([0, 9, 0]), expired: origins([0, 0, 0]) };
    expect(lineOf([0, 61, 0], [0, 1, 0], shown)).toBe('Simulated: 9 of 61 · 0 of 1 expired');
  });

  it('says in the fewest words that a filter hides all', () => {
    const none = { current: origins([0, 0, 0]), expired: origins([0, 0, 0]) };
    expect(lineOf([0, 4, 0], [0, 2, 0], none)).toBe('0 of 4');
    expect(lineOf([24, 0, 0], [0, 0, 0], none)).toBe('0 of 24');
    expect(lineOf([0, 0, 0], [0, 2, 0], none)).toBe('0 of 2 expired');
    expect(lineOf([24, 4, 0], [0, 0, 0], none)).toBe('0 of 24 + 0 of 4 simulated');
  });

  it('names each origin where they differ, and never calls a received position simulated', () => {
    expect(lineOf([24, 0, 0], [3, 0, 0])).toBe('24 · 3 expired');
    expect(lineOf([24, 4, 0], [0, 1, 0])).toBe('24 + 4 simulated · 1 simulated expired');
    expect(lineOf([0, 4, 0], [1, 0, 0])).toBe('4 simulated · 1 expired');
    expect(lineOf([0, 0, 0], [0, 124, 0])).toBe('0 current · 124 simulated expired');
    expect(lineOf([0, 61, 0], [0, 0, 0])).toBe('61 simulated');
  });
});
