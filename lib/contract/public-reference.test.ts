import { describe, expect, test } from 'vitest';
import { publicReferencePattern } from './public-reference.ts';

const handle = '0123456789ABCDEF';

describe('publicReferencePattern', () => {
  test.each([
    ['lower-case hexadecimal', 'RX-A-0123456789abcdef'],
    ['15 digits', 'RX-A-0123456789ABCDE'],
    ['17 digits', 'RX-A-0123456789ABCDEF0'],
    ['a letter that is neither A nor D', `RX-B-${handle}`],
    ['no prefix', `-A-${handle}`],
    ['a prefix of 33 characters', `${'P'.repeat(33)}-A-${handle}`],
    ['whitespace', `R X-A-${handle}`],
    ['a trailing newline', `RX-A-${handle}\n`],
    ['a line of markup before it', `<b>\nRX-A-${handle}`],
  ])('refuses %s', (_, reference) => {
    expect(publicReferencePattern(undefined).test(reference)).toBe(false);
  });

  test('accepts any prefix if none is given, and otherwise only that one', () => {
    for (const prefix of ['RX', 'a-b', 'P'.repeat(32)]) {
      expect(publicReferencePattern(undefined).test(`${prefix}-D-${handle}`)).toBe(true);
    }
    expect(publicReferencePattern('RX').test(`RX-D-${handle}`)).toBe(true);
    expect(publicReferencePattern('RX').test(`RXX-D-${handle}`)).toBe(false);
  });

  test('the prefix is matched literally, even if it contains regular expression syntax', () => {
    expect(publicReferencePattern('R.X+').test(`R.X+-A-${handle}`)).toBe(true);
    expect(publicReferencePattern('R.X+').test(`RaXX-A-${handle}`)).toBe(false);
    expect(publicReferencePattern('A|B').test(`A-A-${handle}`)).toBe(false);
  });
});
