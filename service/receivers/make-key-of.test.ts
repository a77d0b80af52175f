import { createHmac, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeKeyOf } from './fix.ts';

const SECRET = randomBytes(32);
const keyOf = makeKeyOf(SECRET);

test('makes 32 hex digits that stay the same over restarts with one secret', () => {
  const digest = createHmac('sha256', SECRET).update('track\nadsb\nicao:3c66b0').digest('hex');
  expect(keyOf('adsb', 'icao:3c66b0')).toBe(digest.slice(0, 32));
  expect(makeKeyOf(Uint8Array.from(SECRET))('adsb', 'icao:3c66b0')).toBe(digest.slice(0, 32));
});

test('gives another key for another name, layer or secret', () => {
  const keys = [
    keyOf('adsb', 'icao:3c66b0'),
    keyOf('adsb', 'icao:3c66b1'),
    keyOf('rid', 'icao:3c66b0'),
    makeKeyOf(randomBytes(32))('adsb', 'icao:3c66b0'),
  ];
  expect(new Set(keys).size).toBe(keys.length);
});
