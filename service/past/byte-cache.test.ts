import { expect, test } from 'vitest';
import { ByteCache } from './byte-cache.ts';

test('evicts the least recently used entry first, and bounds the bytes', () => {
  const cache = new ByteCache(30);
  const [a, b, c, d] = [{}, {}, {}, {}];
  cache.set('a', a, 10);
  cache.set('b', b, 10);
  cache.set('c', c, 10);
  expect(cache.get('a')).toBe(a);
  cache.set('d', d, 15);
  expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.get('d')]).toEqual([a, undefined, undefined, d]);
  expect(cache.bytes).toBe(25);
});

test('a value that is set again counts once, and one that is too large is not kept', () => {
  const cache = new ByteCache(30);
  cache.set('a', {}, 20);
  cache.set('a', {}, 25);
  expect(cache.bytes).toBe(25);
  cache.set('b', {}, 31);
  expect(cache.get('b')).toBeUndefined();
  expect(cache.bytes).toBe(0);
});
