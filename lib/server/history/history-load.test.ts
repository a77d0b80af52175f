import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FailureReason } from '#lib/api/layer-reason.ts';
import { addMs, localInstant } from '#lib/time/instant.ts';
import type { Cooldown } from '../upstream/cooldown.ts';
import { RetryPolicy } from './history-load.ts';

const NOW = localInstant(Date.UTC(2026, 10, 21, 12));
const timed = (ms: number, reason: FailureReason = 'service_busy'): Cooldown => ({
  kind: 'timed',
  reason,
  until: addMs(NOW, ms),
});
const reserved: Cooldown = { kind: 'reserved', reason: 'allowance_used_up' };
const failure = { cooldown: timed(2000), key: 'a', wasRequested: true, requests: 1, now: NOW } as const;

describe('RetryPolicy', () => {
  test('retries a part at most twice, and one request in twenty of a load, whatever fails in whatever order', () => {
    const failures = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), requests: fc.nat({ max: 200 }) }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(failures, (list) => {
        const policy = new RetryPolicy();
        const retried = list.filter((each) => policy.judge({ ...failure, ...each }) === 'retry');
        for (const key of ['a', 'b', 'c', 'd']) {
          expect(retried.filter((each) => each.key === key).length).toBeLessThanOrEqual(2);
        }
        const requests = Math.max(0, ...list.map((each) => each.requests));
        expect(retried.length).toBeLessThanOrEqual(Math.max(2, Math.floor(requests / 20)));
      }),
    );
  });

  test('a part that was not requested has not failed: it is retried however often others fail', () => {
    const policy = new RetryPolicy();
    const verdicts = Array.from({ length: 50 }, () => policy.judge({ ...failure, wasRequested: false }));
    expect(new Set(verdicts)).toEqual(new Set(['retry']));
    expect(policy.isPersistent('a')).toBe(false);
  });

  test('waits for a pause that ends within two and a half minutes', () => {
    const verdict = (ms: number) =>
      new RetryPolicy().judge({ ...failure, cooldown: timed(ms, 'allowance_used_up'), wasRequested: false });
    expect([verdict(150_000), verdict(150_001)]).toEqual(['retry', 'give-up']);
  });

  test('checks a reserved allowance twice a second, for a limited time that each success restarts', () => {
    const policy = new RetryPolicy();
    const at = (ms: number) =>
      policy.judge({ ...failure, cooldown: reserved, wasRequested: false, now: addMs(NOW, ms) });
    expect(policy.reservedUntil(NOW)).toBeUndefined();
    expect(at(0)).toBe('retry');
    expect([policy.reservedUntil(addMs(NOW, 499)), policy.reservedUntil(addMs(NOW, 500))]).toEqual([
      addMs(NOW, 500),
      undefined,
    ]);
    expect([at(150_000), at(150_001)]).toEqual(['retry', 'give-up']);
    policy.succeeded();
    expect(at(200_000)).toBe('retry');
  });

  test('gives up where waiting does not help', () => {
    const verdict = (reason: FailureReason) => new RetryPolicy().judge({ ...failure, cooldown: timed(0, reason) });
    expect([verdict('layer_not_approved'), verdict('outside_lookback')]).toEqual(['give-up', 'give-up']);
  });
});
