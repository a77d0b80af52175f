import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { AUTO_LOAD_CHOICES } from '../page/preferences.ts';
import { AUTO_LOAD_SHARE, autoLoadText, automaticLoad, replayPriceText } from './replay-price.ts';

const price = fc
  .record({ expected: fc.nat(200), known: fc.boolean(), room: fc.nat(200) })
  .map(({ expected, known, room }) => ({ expected, known, maxRequests: expected === 0 ? 0 : expected + room }));
const onlyLoaded = fc
  .record({ expected: fc.integer({ min: 1, max: 200 }), known: fc.boolean() })
  .map((quoted) => ({ ...quoted, maxRequests: 0 }));
const upTo = fc.constantFrom(...AUTO_LOAD_CHOICES);

test('A load without asking never makes more requests than the operator’s limit, its quote, and its share of what is left', () => {
  fc.assert(
    fc.property(price, upTo, fc.option(fc.nat(500), { nil: undefined }), (quoted, limit, left) => {
      const automatic = automaticLoad(quoted, limit, left);
      if (automatic.kind === 'ask') {
        expect(automatic.reason).toBeDefined();
        expect(quoted.expected).toBeGreaterThan(0);
      } else {
        const { maxRequests } = automatic;
        expect(maxRequests).toBeLessThanOrEqual(quoted.maxRequests);
        expect(maxRequests).toBeLessThanOrEqual(limit);
        expect(maxRequests).toBeGreaterThanOrEqual(quoted.expected);
        if (maxRequests > 0) expect(maxRequests).toBeLessThanOrEqual((left ?? 0) * AUTO_LOAD_SHARE);
      }
    }),
  );
});

test('A role that may not spend requests sees cached parts without a question', () => {
  fc.assert(
    fc.property(onlyLoaded, upTo, fc.option(fc.nat(500), { nil: undefined }), (quoted, limit, left) => {
      expect(automaticLoad(quoted, limit, left)).toEqual({ kind: 'load', maxRequests: 0 });
    }),
  );
});

test('without an allowance, loads everything unless the operator wants every question', () => {
  fc.assert(
    fc.property(price, upTo, (quoted, limit) => {
      const asks = limit === 0 && quoted.expected > 0;
      expect(automaticLoad(quoted, limit, Number.POSITIVE_INFINITY)).toEqual(
        asks ? { kind: 'ask', reason: 'always' } : { kind: 'load', maxRequests: quoted.maxRequests },
      );
    }),
  );
});

test('Gives the reason of a question, and always loads without one if it is free', () => {
  const small = { expected: 5, known: true, maxRequests: 13 };
  expect(automaticLoad(small, 25, 100)).toEqual({ kind: 'load', maxRequests: 13 });
  expect(automaticLoad({ ...small, known: false, maxRequests: 100 }, 25, 100)).toEqual({
    kind: 'load',
    maxRequests: 25,
  });
  expect(automaticLoad(small, 0, 100)).toEqual({ kind: 'ask', reason: 'always' });
  expect(automaticLoad({ ...small, expected: 26 }, 25, 100)).toEqual({ kind: 'ask', reason: 'price' });
  expect(automaticLoad(small, 25, 9)).toEqual({ kind: 'ask', reason: 'allowance' });
  expect(automaticLoad(small, 25, undefined)).toEqual({ kind: 'ask', reason: 'allowance-unknown' });
  expect(automaticLoad({ expected: 0, known: true, maxRequests: 0 }, 0, 0)).toEqual({ kind: 'load', maxRequests: 0 });
});

test('without an allowance, nothing names a price', () => {
  for (const upTo of AUTO_LOAD_CHOICES) expect(autoLoadText(upTo, true, false)).not.toMatch(/request|cost|allowance/);
});

describe('replayPriceText', () => {
  it('says "at least" while the traffic density is unknown', () => {
    expect(replayPriceText({ expected: 39, known: true, maxRequests: 78 })).toBe('≈ 39 requests, max. 78');
    expect(replayPriceText({ expected: 1, known: false, maxRequests: 100 })).toBe('at least 1 request, max. 100');
    expect(replayPriceText({ expected: 0, known: true, maxRequests: 0 })).toBe('no requests');
    expect(replayPriceText({ expected: 39, known: true, maxRequests: 0 })).toBe('only what others have loaded');
  });
});
