import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import type { PastUse } from './ledger.ts';
import { leftForOperator } from './shares.ts';

const MIDNIGHT = upstreamInstant(Date.UTC(2026, 10, 21));
const NOON = addMs(MIDNIGHT, 12 * HOUR_MS);
const wants = (requests: number): PastUse => ({ requests, askedAt: NOON });

test('However fast each one asks, those who want it all the time use the share up together, equally but for a request', () => {
  const scenario = fc.record({
    share: fc.integer({ min: 1, max: 300 }),
    greed: fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 6 }),
    seed: fc.array(fc.nat(), { minLength: 1, maxLength: 50 }),
  });
  fc.assert(
    fc.property(scenario, ({ share, greed, seed }) => {
      const uses = new Map(greed.map((_, name) => [String(name), wants(0)]));
      const total = greed.reduce((sum, each) => sum + each, 0);
      const mayAsk = new Set(uses.keys());
      for (let step = 0; mayAsk.size > 0; step++) {
        const turn = (seed[step % seed.length] ?? 0) % total;
        const who = greed.findIndex((_, at) => turn < greed.slice(0, at + 1).reduce((sum, each) => sum + each, 0));
        const name = mayAsk.has(String(who)) ? String(who) : ([...mayAsk][0] as string);
        const spent = [...uses.values()].reduce((sum, { requests }) => sum + requests, 0);
        const left = leftForOperator(share - spent, name, uses, false, NOON);
        if (left === 0) mayAsk.delete(name);
        else uses.set(name, wants((uses.get(name)?.requests ?? 0) + 1));
      }
      const used = [...uses.values()].map(({ requests }) => requests);
      expect(used.reduce((sum, each) => sum + each, 0)).toBe(share);
      expect(Math.max(...used) - Math.min(...used)).toBeLessThanOrEqual(1);
    }),
  );
});

test('No operator gets more than the rest, and the one who used least always gets something', () => {
  const uses = fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(uses, fc.integer({ min: 0, max: 1000 }), fc.nat({ max: 86_399_999 }), (used, left, atMs) => {
      const now = addMs(MIDNIGHT, atMs);
      const map = new Map(used.map((requests, name) => [String(name), { requests, askedAt: now }]));
      const parts = used.map((_, name) => leftForOperator(left, String(name), map, true, now));
      for (const part of parts) {
        expect(Number.isInteger(part)).toBe(true);
        expect(part).toBeGreaterThanOrEqual(0);
        expect(part).toBeLessThanOrEqual(left);
      }
      const min = used.indexOf(Math.min(...used));
      if (left > 0) expect(leftForOperator(left, String(min), map, false, now)).toBeGreaterThan(0);
      expect(parts.reduce((sum, each) => sum + each, 0)).toBeLessThan(left + used.length + 1);
    }),
  );
});

test('A lone operator leaves half to later ones, less towards midnight, and nothing without sign-in', () => {
  const alone = (hours: number, used = 0) =>
    leftForOperator(90 - used, 'alice', new Map([['alice', wants(used)]]), true, addMs(MIDNIGHT, hours * HOUR_MS));
  expect([0, 8, 12, 18, 23.99].map((hours) => alone(hours))).toEqual([45, 54, 60, 72, 90]);
  expect(alone(0, 45)).toBe(0);
  expect(alone(12, 45)).toBe(15);
  expect(leftForOperator(90, 'local', new Map(), false, MIDNIGHT)).toBe(90);
});

test('Counts earlier use when a second operator loads, and frees a part that was unwanted for an hour', () => {
  const uses = new Map([
    ['alice', wants(60)],
    ['bob', wants(0)],
  ]);
  expect(leftForOperator(30, 'alice', uses, false, NOON)).toBe(0);
  expect(leftForOperator(30, 'bob', uses, false, NOON)).toBe(30);
  expect(leftForOperator(30, 'bob', uses, true, NOON), 'a part kept for a third operator').toBe(20);
  uses.set('bob', { requests: 10, askedAt: addMs(NOON, -HOUR_MS - 1) });
  expect(leftForOperator(20, 'alice', uses, false, NOON)).toBe(20);
});

test('A share of unknown size is not divided', () => {
  expect(leftForOperator(Number.POSITIVE_INFINITY, 'alice', new Map(), true, NOON)).toBe(Number.POSITIVE_INFINITY);
});
