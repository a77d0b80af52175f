import { describe, expect, test } from 'vitest';
import { placeOf, strippedMessage } from './page-error.ts';

describe('strippedMessage', () => {
  test.each([
    ['TypeError: stream is not async iterable', 'TypeError: stream is not async iterable'],
    [
      "TypeError: Cannot read properties of undefined (reading 'lon')",
      'TypeError: Cannot read properties of undefined (reading ... ) (lon)',
    ],
    ['Failed at https://lookout.example/?view=46.9,8.2,8&q=RX-A-0011 now', 'Failed at ... now'],
    ['/zones/Hangar?x=1 failed', '... failed'],
    ['no place at 46.9481 N, -8.2 or 47°30′N', 'no place at # N, # or # # N'],
    ['Unexpected token \'H\', "Hangar East" is not valid JSON', 'Unexpected token ... , ... is not valid JSON'],
    ['track RX-A-0123456789ABCDEF is unknown', 'track # is unknown'],
    ['webgl2 and 2026-11-28T10:00:00Z', 'webgl2 and # ...'],
    ['one\ntwo 8.2', 'one'],
    ['Zürich ends “Flugplatz', 'Z rich ends ...'],
    ['', ''],
  ])('%j becomes %j', (message, stripped) => {
    expect(strippedMessage(message)).toBe(stripped);
  });
});

describe('placeOf', () => {
  test.each([
    ['at f (http://h:1/_next/static/chunks/0a-b_c.js?dpl=x:12:345)\n at g', '0a-b_c.js:12:345'],
    ['g@https://lookout.example/_next/static/media/worker.abc.mjs:1:2', 'worker.abc.mjs:1:2'],
    ['at x (chrome-extension://abcdef/content.js:1:2)', null],
    ['at https://lookout.example/?view=46.9,8.2,8:1:2', null],
    [undefined, null],
  ])('of %j is %j', (stack, at) => {
    expect(placeOf(stack)).toBe(at);
  });
});
