import { describe, expect, it } from 'vitest';
import { headingText, lengthText, speedText, wholeText } from './measure-text.ts';

describe('texts of measured values', () => {
  it('are undefined if not reported, never 0', () => {
    expect(wholeText(undefined)).toBeUndefined();
    expect(lengthText('metric', undefined)).toBeUndefined();
    expect(speedText('aviation', undefined)).toBeUndefined();
    expect(headingText(undefined)).toBeUndefined();
  });

  it('keep a reported 0 as 0', () => {
    expect(lengthText('metric', 0)).toBe('0 m');
    expect(speedText('aviation', 0)).toBe('0 kt');
    expect(headingText(0)).toBe('0°');
  });

  it('end with the unit of the chosen system', () => {
    expect(lengthText('metric', 10_371)).toBe('10371 m');
    expect(lengthText('aviation', 3048)).toBe('10000 ft');
    expect(speedText('metric', 233.72)).toBe('233.7 m/s');
    expect(speedText('imperial', 0.44704)).toBe('1 mph');
  });

  it('never contain -0 or 360°', () => {
    expect(wholeText(-0.2)).toBe('0');
    expect(headingText(359.6)).toBe('0°');
  });
});
