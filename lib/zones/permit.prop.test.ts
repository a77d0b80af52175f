import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import { formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { compilePermit, compilePermits, coverageOf, isPermitted, type PermitTerms } from './permit.ts';

const text = (ms: number) => formatInstant(upstreamInstant(ms));
const termsOf = (startMs: number, lengthMs: number, change: Partial<PermitTerms> = {}): PermitTerms => ({
  layers: ['rid'],
  track: null,
  shape: null,
  vertical: null,
  start: text(startMs),
  end: text(startMs + lengthMs),
  ...change,
});
const positionAt = (ms: number) => ({ ...plainPosition, observedAt: upstreamInstant(ms) });

const anyTerms = fc
  .record({ startMs: fc.nat(50), lengthMs: fc.integer({ min: 1, max: 30 }), ofAircraft: fc.boolean() })
  .map(({ startMs, lengthMs, ofAircraft }) => termsOf(startMs, lengthMs, ofAircraft ? { layers: ['adsb'] } : {}));

test('a position is covered if one of the permits covers it, whatever their order', () => {
  fc.assert(
    fc.property(fc.array(anyTerms, { maxLength: 12 }), fc.integer({ min: -1, max: 90 }), (all, atMs) => {
      const isOneOf = all.some((terms) => coverageOf(compilePermit(terms), 'rid', positionAt(atMs)) === 'covered');
      expect(isPermitted(compilePermits(all), 'rid', positionAt(atMs))).toBe(isOneOf);
    }),
  );
});

test('a position is compared with no permit that has ended, of 10,000 in a day', () => {
  let compared = 0;
  const counted = (startMs: number, lengthMs: number): PermitTerms => ({
    ...termsOf(startMs, lengthMs),
    get layers() {
      compared++;
      return ['adsb' as const];
    },
  });
  const ended = Array.from({ length: 10_000 }, (_, index) => counted(index, 1 + (index % 7)));
  const current = Array.from({ length: 100 }, (_, index) => counted(index, 1_000_000));
  const permits = compilePermits([...current, ...ended]);
  expect(isPermitted(permits, 'rid', positionAt(20_000))).toBe(false);
  expect(compared).toBe(100);
});
