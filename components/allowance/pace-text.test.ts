import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { paceText } from './pace-text.ts';

describe('paceText', () => {
  test.each([
    [undefined, 'not known yet'],
    [0, 'no requests'],
    [0.004, 'less than 1 request an hour'],
    [0.0167, 'about 1 request an hour'],
    [0.3, 'about 18 requests an hour'],
    [0.97, 'about 1 request a minute'],
    [2.54, 'about 2.5 requests a minute'],
    [9.97, 'about 10 requests a minute'],
    [11.7, 'about 12 requests a minute'],
    [1234, 'about 1\u202f234 requests a minute'],
  ])('%s requests a minute', (perMinute, words) => {
    expect(paceText(perMinute)).toBe(words);
  });

  test('a pace that is there is never said to be none', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e5, noNaN: true }), (perMinute) => {
        expect(paceText(perMinute)).not.toMatch(/\b0 |no requests/);
      }),
    );
  });
});
