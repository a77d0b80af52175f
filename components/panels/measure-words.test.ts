import { describe, expect, it } from 'vitest';
import { headingWords, lengthWords, speedWords, wholeWords } from './measure-words.ts';

describe('words for measured values', () => {
  it('turn "not reported" into no text at all, never into 0', () => {
    expect(wholeWords(undefined)).toBeUndefined();
    expect(lengthWords('metric', undefined)).toBeUndefined();
    expect(speedWords('aviation', undefined)).toBeUndefined();
    expect(headingWords(undefined)).toBeUndefined();
  });

  it('keep a reported 0 as 0', () => {
    expect(lengthWords('metric', 0)).toBe('0 m');
    expect(speedWords('aviation', 0)).toBe('0 kt');
    expect(headingWords(0)).toBe('0°');
  });

  it('carry the unit of the chosen system', () => {
    expect(lengthWords('metric', 10_371)).toBe('10371 m');
    expect(lengthWords('aviation', 3048)).toBe('10000 ft');
    expect(speedWords('metric', 233.72)).toBe('233.7 m/s');
    expect(speedWords('imperial', 0.44704)).toBe('1 mph');
  });

  it('write no minus before a rounded zero, and no 360°', () => {
    expect(wholeWords(-0.2)).toBe('0');
    expect(headingWords(359.6)).toBe('0°');
  });
});
