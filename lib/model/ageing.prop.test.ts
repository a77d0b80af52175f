import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AGEING, type AgePhase, agePhase, EXPIRED_OPACITY, expiryMs, markOpacity } from './ageing.ts';
import type { TrackKind } from './position.ts';

const kind = fc.constantFrom<TrackKind>('aircraft', 'drone');
const atMs = fc.integer({ min: 0, max: 4e12 });
/** The service's clocks may disagree: a record may expire before it was observed. */
const ttlMs = fc.integer({ min: -10_000, max: 300_000 });
const laterMs = fc.integer({ min: -60_000, max: 600_000 });
const phases: readonly AgePhase[] = ['fresh', 'ageing', 'expired', 'removed'];

describe('ageing', () => {
  test('opacity never increases over time, and stays between 1 and that of an expired mark', () => {
    fc.assert(
      fc.property(atMs, ttlMs, laterMs, laterMs, (observedAt, ttl, one, other) => {
        const at = (offset: number) => markOpacity(observedAt, observedAt + ttl, observedAt + offset);
        expect(at(Math.max(one, other))).toBeLessThanOrEqual(at(Math.min(one, other)));
        expect(at(one)).toBeGreaterThanOrEqual(EXPIRED_OPACITY);
        expect(at(one)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('phases only go forward: fresh, ageing, expired, removed', () => {
    fc.assert(
      fc.property(kind, atMs, ttlMs, laterMs, laterMs, (kind, observedAt, ttl, one, other) => {
        const at = (offset: number) =>
          phases.indexOf(agePhase(observedAt, observedAt + ttl, kind, observedAt + offset));
        expect(at(Math.max(one, other))).toBeGreaterThanOrEqual(at(Math.min(one, other)));
      }),
    );
  });

  test('opacity matches the phase: full while fresh, lowest from expiry on', () => {
    fc.assert(
      fc.property(kind, atMs, fc.integer({ min: 1, max: 300_000 }), laterMs, (kind, observedAt, ttl, offset) => {
        const phase = agePhase(observedAt, observedAt + ttl, kind, observedAt + offset);
        const drawn = markOpacity(observedAt, observedAt + ttl, observedAt + offset);
        if (phase === 'fresh') expect(drawn).toBe(1);
        if (phase === 'expired' || phase === 'removed') expect(drawn).toBe(EXPIRED_OPACITY);
      }),
    );
  });

  test('a replayed record without stale_after ages like a live one with the fallback time to live', () => {
    fc.assert(
      fc.property(kind, atMs, laterMs, (kind, observedAt, offset) => {
        const live = expiryMs(observedAt, observedAt + AGEING[kind].fallbackTtlMs, kind);
        const replayed = expiryMs(observedAt, Number.NaN, kind);
        const now = observedAt + offset;
        expect(agePhase(observedAt, replayed, kind, now)).toBe(agePhase(observedAt, live, kind, now));
        expect(markOpacity(observedAt, replayed, now)).toBe(markOpacity(observedAt, live, now));
      }),
    );
  });

  test('stale_after takes precedence, whether it is shorter or longer than the fallback', () => {
    expect(expiryMs(1000, 2000, 'aircraft')).toBe(2000);
    expect(expiryMs(1000, 900_000, 'drone')).toBe(900_000);
  });

  test('a mark is expired from its expiry, inclusive, until expiredMs later, exclusive', () => {
    for (const kind of ['aircraft', 'drone'] as const) {
      const { expiredMs } = AGEING[kind];
      expect(
        [9_999, 10_000, 9_999 + expiredMs, 10_000 + expiredMs].map((now) => agePhase(0, 10_000, kind, now)),
      ).toEqual(['ageing', 'expired', 'expired', 'removed']);
    }
  });
});
