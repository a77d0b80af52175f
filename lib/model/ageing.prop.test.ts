import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AGEING, type AgePhase, agePhase, EXPIRED_OPACITY, expiryMs, opacity } from './ageing.ts';
import type { TrackKind } from './position.ts';

const kind = fc.constantFrom<TrackKind>('aircraft', 'drone');
const atMs = fc.integer({ min: 0, max: 4e12 });
/** Also records that expire before they were observed: the service's clocks are not ours to trust. */
const ttlMs = fc.integer({ min: -10_000, max: 300_000 });
const laterMs = fc.integer({ min: -60_000, max: 600_000 });
const phases: readonly AgePhase[] = ['fresh', 'ageing', 'coasted', 'removed'];

describe('ageing', () => {
  test('opacity never rises as time goes on, from 1 to the opacity of an expired mark', () => {
    fc.assert(
      fc.property(atMs, ttlMs, laterMs, laterMs, (observedAt, lifetime, one, other) => {
        const at = (offset: number) => opacity(observedAt, observedAt + lifetime, observedAt + offset);
        expect(at(Math.max(one, other))).toBeLessThanOrEqual(at(Math.min(one, other)));
        expect(at(one)).toBeGreaterThanOrEqual(EXPIRED_OPACITY);
        expect(at(one)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('phases only go forward: fresh, ageing, coasted, removed', () => {
    fc.assert(
      fc.property(kind, atMs, ttlMs, laterMs, laterMs, (kind, observedAt, lifetime, one, other) => {
        const at = (offset: number) =>
          phases.indexOf(agePhase(observedAt, observedAt + lifetime, kind, observedAt + offset));
        expect(at(Math.max(one, other))).toBeGreaterThanOrEqual(at(Math.min(one, other)));
      }),
    );
  });

  test('opacity and phase agree: full while fresh, lowest from expiry on', () => {
    fc.assert(
      fc.property(kind, atMs, fc.integer({ min: 1, max: 300_000 }), laterMs, (kind, observedAt, lifetime, offset) => {
        const phase = agePhase(observedAt, observedAt + lifetime, kind, observedAt + offset);
        const drawn = opacity(observedAt, observedAt + lifetime, observedAt + offset);
        if (phase === 'fresh') expect(drawn).toBe(1);
        if (phase === 'coasted' || phase === 'removed') expect(drawn).toBe(EXPIRED_OPACITY);
      }),
    );
  });

  test('a replayed record without stale_after ages exactly as a live one with the fallback span', () => {
    fc.assert(
      fc.property(kind, atMs, laterMs, (kind, observedAt, offset) => {
        const live = expiryMs(observedAt, observedAt + AGEING[kind].fallbackTtlMs, kind);
        const replayed = expiryMs(observedAt, Number.NaN, kind);
        const now = observedAt + offset;
        expect(agePhase(observedAt, replayed, kind, now)).toBe(agePhase(observedAt, live, kind, now));
        expect(opacity(observedAt, replayed, now)).toBe(opacity(observedAt, live, now));
      }),
    );
  });

  test('stale_after rules, also where it is shorter or longer than the fallback', () => {
    expect(expiryMs(1000, 2000, 'aircraft')).toBe(2000);
    expect(expiryMs(1000, 900_000, 'drone')).toBe(900_000);
  });

  test('a mark coasts from the millisecond of its expiry and is gone at the stated time after it', () => {
    for (const kind of ['aircraft', 'drone'] as const) {
      const { coastMs } = AGEING[kind];
      expect([9_999, 10_000, 9_999 + coastMs, 10_000 + coastMs].map((now) => agePhase(0, 10_000, kind, now))).toEqual([
        'ageing',
        'coasted',
        'coasted',
        'removed',
      ]);
    }
  });
});
