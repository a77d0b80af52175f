import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isLabel } from './wire-position.ts';

describe('isLabel', () => {
  test.each(['single', 'multi_station', 'unknown', '7700', 'no-radio', 'v1.2_beta', 'X'.repeat(64)])(
    'accepts %s, also where it is new',
    (text) => {
      expect(isLabel(text)).toBe(true);
    },
  );

  test.each([
    ['nothing', ''],
    ['a formula', '=1+1'],
    ['a minus in front', '-1'],
    ['a space', 'multi station'],
    ['a trailing newline', 'single\n'],
    ['a tab in front', '\tsingle'],
    ['a bidi override', 'single\u202E'],
    ['a bidi isolate', '\u2066single'],
    ['a zero-width space', 'sin\u200Bgle'],
    ['a byte order mark', '\uFEFFsingle'],
    ['a letter that looks like an a', 'st\u0430le'],
    ['markup', '<b>'],
    ['a separator', 'a;b'],
    ['half a surrogate pair', 'a\uD800'],
    ['65 characters', 'X'.repeat(65)],
  ])('refuses %s', (_, text) => {
    expect(isLabel(text)).toBe(false);
  });

  test('accepts only letters, digits, `_`, `.` and `-`', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        if (isLabel(text)) expect(text).toMatch(/^[\w.-]+$/);
      }),
      { examples: [['single'], ['\u0000']] },
    );
  });
});
