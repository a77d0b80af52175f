import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pageErrorSchema, placeOf, strippedMessage } from './page-error.ts';

const coordinate = fc.double({ min: -180, max: 180, noNaN: true }).map((value) => value.toFixed(4));
const part = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), coordinate, fc.webUrl({ withQueryParameters: true }));

test('every stripped message fits the schema and is one line of ASCII, also when it is stripped twice', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.string(), (parts, stack) => {
      const message = strippedMessage(parts.join(' '));
      expect(message).toMatch(/^[\x20-\x7e]{0,200}$/);
      expect(message).not.toMatch(/\d{2}/);
      expect(strippedMessage(message)).toMatch(/^[\x20-\x7e]{0,200}$/);
      expect(pageErrorSchema.safeParse({ kind: 'answer', message, at: placeOf(stack) }).success).toBe(true);
    }),
  );
});

test('no coordinate survives', () => {
  fc.assert(
    fc.property(fc.string(), coordinate, fc.string(), (before, value, after) => {
      expect(strippedMessage(`${before} ${value} ${after}`)).not.toContain(value.replace('-', ''));
    }),
  );
});
