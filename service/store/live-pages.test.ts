import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { makeCursors, type PagedQuery } from './live-pages.ts';

const NOW = upstreamInstant(1.7e12);
const QUERY: PagedQuery = {
  accountId: 'a',
  layer: 'adsb',
  bbox: { west: 8, south: 47, east: 9, north: 48 },
  limit: 250,
};

test('the number of cursors is bounded: the oldest are evicted, the newest work', () => {
  const cursors = makeCursors({ prefix: 'TST', randomBytes }, 10);
  const issued = Array.from({ length: 25 }, (_, index) => cursors.issue(QUERY, `after-${index}`, addMs(NOW, index)));
  const resolved = issued.map((cursor) => cursors.resolve(cursor, QUERY, addMs(NOW, 25)));
  expect(resolved.slice(0, 15)).toEqual(Array(15).fill(undefined));
  expect(resolved.slice(15)).toEqual(Array.from({ length: 10 }, (_, index) => `after-${index + 15}`));
});

test('a cursor works until it expires', () => {
  const cursors = makeCursors({ prefix: 'TST', randomBytes });
  const cursor = cursors.issue(QUERY, 'after', NOW);
  expect(cursors.resolve(cursor, QUERY, addMs(NOW, 5 * 60_000 - 1))).toBe('after');
  expect(cursors.resolve(cursor, QUERY, addMs(NOW, 5 * 60_000))).toBeUndefined();
});
