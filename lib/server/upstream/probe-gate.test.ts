import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { localInstant } from '#lib/time/instant.ts';
import { type Departing, type Departure, ProbeGate } from './probe-gate.ts';

const rid: Departing = { operation: 'live_rid', mode: 'live', keyId: 'k1', isProven: true };
const adsb: Departing = { ...rid, operation: 'live_adsb' };
const past: Departing = { ...rid, operation: 'history_adsb', mode: 'history' };

let nowMs = 0;
let gate: ProbeGate;
beforeEach(() => {
  vi.useFakeTimers();
  nowMs = 0;
  gate = new ProbeGate(() => localInstant(nowMs));
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

function left(request: Departing) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let departure: Departure | undefined;
  const done = gate.leave(request, (given) => {
    departure = given;
    given.sent();
    return promise;
  });
  return {
    accepted: () => departure?.accepted(),
    end: async () => {
      resolve();
      await done;
    },
  };
}

describe('while an answer has not started', () => {
  test('other requests wait, and leave together when it starts', async () => {
    const first = left(rid);
    const waits = [gate.ahead(adsb, undefined), gate.ahead(rid, undefined)];
    first.accepted();
    expect(await Promise.all(waits)).toEqual(['k1', 'k1']);
    const second = left(adsb);
    expect(gate.ahead(rid, 'k1')).toBeUndefined();
    expect(gate.ahead(rid, undefined)).toBeDefined();
    await second.end();
    await first.end();
    expect(gate.ahead(rid, undefined)).toBeUndefined();
  });

  test('a request that ends without being accepted releases no other to leave in parallel', async () => {
    const first = left(rid);
    const wait = gate.ahead(adsb, undefined);
    await first.end();
    expect(await wait).toBeUndefined();
  });

  test('its acceptance of one key does not cover another', async () => {
    const first = left(rid);
    first.accepted();
    const second = left(adsb);
    expect(gate.ahead({ ...rid, keyId: 'k2' }, 'k1')).toBeDefined();
    await second.end();
    await first.end();
  });

  test.each([
    [rid, 1000],
    [past, 100],
  ])('other requests wait for $operation for %d ms at most', async (request, ms) => {
    const slow = left(request);
    const wait = gate.ahead(adsb, undefined);
    vi.advanceTimersByTime(ms - 1);
    expect(gate.ahead(adsb, undefined)).toBe(wait);
    vi.advanceTimersByTime(1);
    expect(await wait).toBe('k1');
    expect(gate.ahead(adsb, undefined)).toBeUndefined();
    await slow.end();
  });

  test('a history load sends requests in parallel for a second after the key was accepted', async () => {
    const first = left(past);
    expect(gate.ahead(past, undefined)).toBeDefined();
    first.accepted();
    const second = left(past);
    expect([gate.ahead(past, undefined), gate.ahead({ ...past, keyId: 'k2' }, undefined)]).toEqual([
      undefined,
      expect.any(Promise),
    ]);
    nowMs = 1000;
    expect(gate.ahead(past, undefined)).toBeDefined();
    await second.end();
    await first.end();
  });
});

test('an unproven operation is tried by one request to its end, while other operations continue', async () => {
  const probe = left({ ...rid, isProven: false });
  probe.accepted();
  const wait = gate.ahead(rid, undefined);
  expect([gate.ahead(adsb, undefined), gate.ahead(rid, 'k1')]).toEqual([undefined, wait]);
  await probe.end();
  expect(await wait).toBeUndefined();
  expect(gate.ahead(rid, undefined)).toBeUndefined();
});
