import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isKeyText, makeKeyText, shownStart } from './api-key.ts';

const secret = fc.uint8Array({ minLength: 32, maxLength: 32 });
const key = secret.map((bytes) => makeKeyText(() => bytes));
const digit = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
const place = fc.integer({ min: 4, max: 52 });

test('a key has one length and form, and its checksum fits', () => {
  fc.assert(
    fc.property(key, (text) => {
      expect(text).toMatch(/^lkt_[0-9A-Za-z]{49}$/);
      expect(isKeyText(text)).toBe(true);
    }),
  );
  expect(isKeyText(makeKeyText())).toBe(true);
});

test('different secrets give different keys', () => {
  fc.assert(
    fc.property(secret, secret, (one, other) => {
      expect(makeKeyText(() => one) === makeKeyText(() => other)).toBe(Buffer.from(one).equals(Buffer.from(other)));
    }),
  );
});

test('one wrong character, two exchanged neighbours, or a part of a key are no key', () => {
  fc.assert(
    fc.property(key, place, digit, (text, at, wrong) => {
      expect(isKeyText(text.slice(0, at) + wrong + text.slice(at + 1))).toBe(text[at] === wrong);
      const exchanged = text.slice(0, at - 1) + text[at] + text[at - 1] + text.slice(at + 1);
      if (at > 4) expect(isKeyText(exchanged)).toBe(text[at] === text[at - 1]);
      expect(isKeyText(text.slice(0, at))).toBe(false);
    }),
  );
});

test('the shown start of a key is its prefix and six digits of the secret', () => {
  fc.assert(
    fc.property(key, (text) => {
      expect(shownStart(text)).toMatch(/^lkt_[0-9A-Za-z]{6}$/);
      expect(text.startsWith(shownStart(text))).toBe(true);
    }),
  );
});
