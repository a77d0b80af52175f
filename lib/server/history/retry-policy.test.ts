import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FailureReason } from '#lib/api/layer-reason.ts';
import { addMs, localInstant } from '#lib/time/instant.ts';
import type { Cooldown } from '../upstream/cooldown.ts';
import { RetryPolicy } from './retry-policy.ts';

const NOW = localInstant(Date.UTC(2026, 10, 21, 12));
const timed = (ms: number, reason: FailureReason = 'service_busy'): Cooldown => ({
  kind: 'timed',
  reason,
  until: addMs(NOW, ms),
});
const reserved: Cooldown = { kind: 'reserved', reason: 'allowance_used_up' };
const failure = { cooldown: timed(2000), key: 'a', wasAsked: true, requests: 1, now: NOW } as const;

describe('RetryPolicy', () => {
  test('asks a part again at most twice, and of a load one in twenty, whatever fails in whatever order', () => {
    const failures = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), requests: fc.nat({ max: 200 }) }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(failures, (list) => {
        const policy = new RetryPolicy();
        const again = list.filter((each) => policy.judge({ ...failure, ...each }) === 'again');
        for (const key of ['a', 'b', 'c', 'd']) {
          expect(again.filter((each) => each.key === key).length).toBeLessThanOrEqual(2);
        }
        const requests = Math.max(0, ...list.map((each) => each.requests));
        expect(again.length).toBeLessThanOrEqual(Math.max(2, Math.floor(requests / 20)));
      }),
    );
  });

  test('a part that was not asked has not failed: it is asked again as often as others meet trouble', () => {
    const policy = new RetryPolicy();
    const verdicts = Array.from({ length: 50 }, () => policy.judge({ ...failure, wasAsked: false }));
    expect(new Set(verdicts)).toEqual(new Set(['again']));
    expect(policy.isPersistent('a')).toBe(false);
  });

  test('a pause is waited for where it ends within two and a half minutes', () => {
    const verdict = (ms: number) =>
      new RetryPolicy().judge({ ...failure, cooldown: timed(ms, 'allowance_used_up'), wasAsked: false });
    expect([verdict(150_000), verdict(150_001)]).toEqual(['again', 'give-up']);
  });

  test('what is reserved for others is looked at twice a second, and not for ever; a part that comes begins that anew', () => {
    const policy = new RetryPolicy();
    const at = (ms: number) => policy.judge({ ...failure, cooldown: reserved, wasAsked: false, now: addMs(NOW, ms) });
    expect(policy.reservedUntil(NOW)).toBeUndefined();
    expect(at(0)).toBe('again');
    expect([policy.reservedUntil(addMs(NOW, 499)), policy.reservedUntil(addMs(NOW, 500))]).toEqual([
      addMs(NOW, 500),
      undefined,
    ]);
    expect([at(150_000), at(150_001)]).toEqual(['again', 'give-up']);
    policy.cameThrough();
    expect(at(200_000)).toBe('again');
  });

  test('what no waiting mends ends it', () => {
    const verdict = (reason: FailureReason) => new RetryPolicy().judge({ ...failure, cooldown: timed(0, reason) });
    expect([verdict('layer_not_approved'), verdict('outside_lookback')]).toEqual(['give-up', 'give-up']);
  });
});
