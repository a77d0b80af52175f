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
    ['a formula', `=RX-A-${handle}`],
    ['a minus in front', `-RX-A-${handle}`],
    ['an at sign', `@RX-A-${handle}`],
    ['a separator', `R;X-A-${handle}`],
    ['a bidi override', `R\u202EX-A-${handle}`],
    ['a zero-width space', `R\u200BX-A-${handle}`],
    ['a byte order mark', `\uFEFFRX-A-${handle}`],
    ['a letter that looks like an R', `\u13A1X-A-${handle}`],
    ['a quote', `R"X-A-${handle}`],
  ])('refuses %s', (_, reference) => {
    expect(publicReferencePattern(undefined).test(reference)).toBe(false);
  });

  test('accepts any prefix if none is given, and otherwise only that one', () => {
    for (const prefix of ['RX', 'a-b', 'x.y_z', 'P'.repeat(32)]) {
      expect(publicReferencePattern(undefined).test(`${prefix}-D-${handle}`)).toBe(true);
    }
    expect(publicReferencePattern('RX').test(`RX-D-${handle}`)).toBe(true);
    expect(publicReferencePattern('RX').test(`RXX-D-${handle}`)).toBe(false);
  });

  test('the prefix is matched literally, a dot as a dot', () => {
    expect(publicReferencePattern('R.X').test(`R.X-A-${handle}`)).toBe(true);
    expect(publicReferencePattern('R.X').test(`RaX-A-${handle}`)).toBe(false);
  });
});
