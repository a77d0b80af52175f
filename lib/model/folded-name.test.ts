import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldedName } from './folded-name.ts';

test.each([
  ['Zürich', 'zurich'],
  ['ZURICH', 'zurich'],
  ["L'Aquila", 'laquila'],
  ['Łódź', 'lodz'],
  ['Weißenburg in Bayern', 'weissenburg in bayern'],
  ['Tromsø', 'tromso'],
  ['St. John’s–Town (CA)', 'st johns town ca'],
  ['İzmir', 'izmir'],
  ['東京', '東京'],
  ['  ', ''],
])('%s is compared as %s', (name, folded) => {
  expect(foldedName(name)).toBe(folded);
});

test('Folding twice changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      expect(foldedName(foldedName(name))).toBe(foldedName(name));
    }),
  );
});
