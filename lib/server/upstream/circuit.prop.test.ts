import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { OPERATION_IDS, type OperationId } from '#lib/contract/operation.ts';
import { addMs, epochMs, type LocalInstant, localInstant, msBetween, upstreamInstant } from '#lib/time/instant.ts';
import type { Spending } from '../allowance/ledger.ts';
import { Circuit, DENIED_RECHECK_MS, KEY_RECHECK_MS } from './circuit.ts';
import { type Cooldown, cooldownEnd } from './cooldown.ts';
import type { UpstreamRequest } from './upstream-request.ts';

const START = localInstant(Date.UTC(2026, 10, 21, 12));
const random = () => 0.5;
const DAY_MS = 86_400_000;

function request(operation: OperationId, query = 'bbox=8,47,9,48'): UpstreamRequest {
  const target = `/${operation.replace('_', '/')}?${query}`;
  const layer = operation.endsWith('rid') ? 'rid' : 'adsb';
  return operation.startsWith('live')
    ? { operation, layer, target, logged: {}, limit: 1000, mode: 'live', isPaged: false }
    : {
        operation,
        layer,
        target,
        logged: {},
        limit: 1000,
        mode: 'history',
        start: upstreamInstant(epochMs(START) - DAY_MS),
      };
}

class Forbidden {
  now = START;
  readonly keysUntil = new Map<string, number>();
  readonly operationsUntil = new Map<OperationId, number>();
  pausedUntil = 0;

  includes(operation: OperationId, keyId: string): boolean {
    return (
      epochMs(this.now) < (this.keysUntil.get(keyId) ?? 0) ||
      epochMs(this.now) < (this.operationsUntil.get(operation) ?? 0) ||
      epochMs(this.now) < this.pausedUntil
    );
  }
}

type Answer = (circuit: Circuit, forbidden: Forbidden) => void;
const operation = fc.constantFrom(...OPERATION_IDS);
const passing = fc.integer({ min: 0, max: 600_000 }).map(
  (ms): Answer =>
    (_, forbidden) => {
      forbidden.now = addMs(forbidden.now, ms);
    },
);
const denied = operation.map(
  (operation): Answer =>
    (circuit, forbidden) => {
      circuit.operationDenied(operation, forbidden.now);
      forbidden.operationsUntil.set(operation, epochMs(forbidden.now) + DENIED_RECHECK_MS);
    },
);
const paused = fc.integer({ min: 0, max: 900_000 }).map(
  (ms): Answer =>
    (circuit, forbidden) => {
      const until = addMs(forbidden.now, ms);
      circuit.pauseUntil(until, 'allowance_used_up');
      forbidden.pausedUntil = Math.max(forbidden.pausedUntil, epochMs(until));
    },
);
const accepted = operation.map(
  (operation): Answer =>
    (circuit, forbidden) => {
      circuit.accepted(operation, forbidden.now);
      forbidden.operationsUntil.delete(operation);
    },
);
const failed = operation.map(
  (operation): Answer =>
    (circuit, forbidden) => {
      circuit.failed(operation, 'service_timeout', forbidden.now);
    },
);
const refused: fc.Arbitrary<Answer> = fc.constant((circuit, forbidden) => {
  const until = addMs(forbidden.now, KEY_RECHECK_MS);
  circuit.keyRefused('k1', until);
  forbidden.keysUntil.set('k1', epochMs(until));
});
const answers = fc.array(fc.oneof(passing, denied, paused, accepted, failed, refused), { maxLength: 30 });

describe('Circuit', () => {
  test('sends nothing that is forbidden, whatever the answers and their order', () => {
    fc.assert(
      fc.property(answers, (list) => {
        const [circuit, forbidden] = [new Circuit(random), new Forbidden()];
        circuit.switchKey('k1');
        for (const answer of list) {
          answer(circuit, forbidden);
          for (const each of OPERATION_IDS) {
            if (!forbidden.includes(each, 'k1')) continue;
            expect(circuit.cooldown(request(each), forbidden.now)).toBeDefined();
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  test('allows everything again a day later', () => {
    fc.assert(
      fc.property(answers, (list) => {
        const [circuit, forbidden] = [new Circuit(random), new Forbidden()];
        for (const answer of list) answer(circuit, forbidden);
        for (const each of OPERATION_IDS) {
          expect(circuit.cooldown(request(each), addMs(forbidden.now, DAY_MS))).toBeUndefined();
        }
      }),
    );
  });

  test('allows requests from the announced end of a cooldown on, unless another cooldown follows', () => {
    fc.assert(
      fc.property(answers, operation, (list, each) => {
        const [circuit, forbidden] = [new Circuit(random), new Forbidden()];
        for (const answer of list) answer(circuit, forbidden);
        circuit.switchKey('k2');
        // One cooldown may follow another, but each of them ends.
        let now = forbidden.now;
        const met: (Cooldown | undefined)[] = [];
        for (;;) {
          const cooldown = circuit.cooldown(request(each), now);
          if (!cooldown) break;
          expect(met).not.toContain(cooldown);
          met.push(cooldown);
          now = cooldownEnd(cooldown) as LocalInstant;
          expect(now).toBeGreaterThan(epochMs(forbidden.now));
        }
        expect(met.length).toBeLessThanOrEqual(3);
      }),
    );
  });

  test('a pause is never shortened by a later, laxer answer', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 900_000 }), { minLength: 1 }), (spansMs) => {
        const circuit = new Circuit(random);
        for (const ms of spansMs) circuit.pauseUntil(addMs(START, ms), 'service_busy');
        const longest = addMs(START, Math.max(...spansMs));
        expect(circuit.cooldown(request('live_rid'), addMs(longest, -1))).toMatchObject({
          kind: 'timed',
          until: longest,
        });
        expect(circuit.cooldown(request('live_rid'), longest)).toBeUndefined();
      }),
    );
  });

  test('backoff grows with each failure, is bounded at a minute, and ends with a usable answer', () => {
    const circuit = new Circuit(() => 0.999_999);
    const waits: number[] = [];
    let now: LocalInstant = START;
    const fail = () => cooldownEnd(circuit.failed('live_adsb', 'service_unreachable', now)) as LocalInstant;
    for (let failures = 0; failures < 20; failures++) {
      const until = fail();
      waits.push(msBetween(now, until));
      now = until;
    }
    expect(waits.slice(0, 6)).toEqual([2000, 4000, 8000, 16_000, 32_000, 60_000]);
    expect(Math.max(...waits)).toBe(60_000);
    circuit.accepted('live_adsb', START);
    expect(circuit.cooldown(request('live_adsb'), now)).toBeUndefined();
    expect(msBetween(now, fail())).toBe(2000);
  });
});

describe('a request that the ledger refused', () => {
  const spendings = ['scheduled', 'first-view', 'history'] as const;
  const shortage = fc.record({
    spending: fc.constantFrom<Spending>(...spendings),
    requests: fc.integer({ min: 1, max: 12 }),
    ms: fc.integer({ min: 1, max: 100 }),
  });

  test('delays work of the same purpose that needs as many requests or more, and no other work', () => {
    fc.assert(
      fc.property(fc.array(shortage, { maxLength: 12 }), shortage, (shortages, work) => {
        const circuit = new Circuit(random);
        for (const { ms, ...shortage } of shortages) circuit.allowanceUsedUp(shortage, addMs(START, ms), START);
        const now = addMs(START, work.ms);
        const covering = shortages.filter(
          ({ spending, requests, ms }) =>
            spending === work.spending && requests <= work.requests && addMs(START, ms) > now,
        );
        const cooldown = circuit.cooldown({ ...work, operation: 'live_adsb' }, now);
        const latest = covering.length === 0 ? undefined : addMs(START, Math.max(...covering.map(({ ms }) => ms)));
        expect(cooldown && cooldownEnd(cooldown)).toBe(latest);
        // A request that is already paid for may be sent.
        expect(circuit.cooldown(request('live_adsb'), now)).toBeUndefined();
      }),
    );
  });
});

describe('what each refusal blocks', () => {
  let circuit: Circuit;
  beforeEach(() => {
    circuit = new Circuit(random);
    circuit.switchKey('k1');
    for (const each of OPERATION_IDS) circuit.accepted(each, START);
  });
  const maySend = (operation: OperationId, query?: string, now = START) =>
    circuit.cooldown(request(operation, query), now) === undefined;
  const isProven = (operation: OperationId) => circuit.operation(operation, START).kind === 'proven';

  const HOUR_LATER = addMs(START, KEY_RECHECK_MS);

  test('a 401 blocks that key for every layer for an hour, and no other key', () => {
    circuit.keyRefused('k1', HOUR_LATER);
    expect(maySend('live_rid') || maySend('live_adsb') || maySend('live_rid', undefined, addMs(HOUR_LATER, -1))).toBe(
      false,
    );
    expect(maySend('live_rid', undefined, HOUR_LATER) && maySend('live_adsb', undefined, HOUR_LATER)).toBe(true);
    expect(isProven('live_rid') || isProven('live_adsb')).toBe(false);
    circuit.switchKey('k1');
    expect(maySend('live_rid')).toBe(false);
    circuit.switchKey('k2');
    expect(maySend('live_rid')).toBe(true);
  });

  test('a refused key counts as refused until an answer that came after the hour', () => {
    circuit.keyRefused('k1', HOUR_LATER);
    circuit.accepted('live_adsb', addMs(HOUR_LATER, -1));
    expect(circuit.isKeyRefused).toBe(true);
    expect(circuit.accepted('live_adsb', HOUR_LATER)).toBe(true);
    expect(circuit.isKeyRefused).toBe(false);
  });

  test('a changed key is tried by one probe, even if an answer to the old key comes late', () => {
    circuit.keyRefused('k1', HOUR_LATER);
    circuit.accepted('live_adsb', START);
    circuit.switchKey('k2');
    expect(maySend('live_adsb')).toBe(true);
    expect(isProven('live_adsb')).toBe(false);
  });

  test('a 403 blocks its layer for 15 minutes, then allows one probe; the other layer continues', () => {
    circuit.operationDenied('live_rid', START);
    expect(maySend('live_rid', undefined, addMs(START, 15 * 60_000 - 1))).toBe(false);
    expect(maySend('live_rid', undefined, addMs(START, 15 * 60_000))).toBe(true);
    expect(isProven('live_rid')).toBe(false);
    expect(maySend('live_adsb') && isProven('live_adsb')).toBe(true);
  });

  test('a 400 blocks that query; a 404 its operation', () => {
    circuit.queryRejected(request('live_rid'));
    expect([maySend('live_rid'), maySend('live_rid', 'other')]).toEqual([false, true]);
    circuit.pathWrong('live_adsb');
    circuit.accepted('live_adsb', START);
    expect([maySend('live_adsb', 'other'), maySend('live_rid', 'other')]).toEqual([false, true]);
  });

  test('a refused lookback blocks windows that start at the same time or earlier', () => {
    const refused = request('history_rid');
    if (refused.mode === 'live') throw new Error('a live request has no window');
    circuit.lookbackEnded('history_rid', refused.start, START);
    const earlier = { ...refused, start: addMs(refused.start, -1) };
    const later = { ...refused, start: addMs(refused.start, 1) };
    const reasons = [earlier, refused, later].map((each) => circuit.cooldown(each, START)?.reason);
    expect(reasons).toEqual(['outside_lookback', 'outside_lookback', undefined]);
    expect(maySend('history_adsb')).toBe(true);
  });

  test('a failure of one layer delays that layer alone', () => {
    circuit.failed('live_rid', 'service_timeout', START);
    expect([maySend('live_rid'), maySend('live_adsb')]).toEqual([false, true]);
  });

  test('a late failure does not end a refusal', () => {
    circuit.operationDenied('live_rid', START);
    circuit.failed('live_rid', 'service_timeout', START);
    expect(maySend('live_rid', undefined, addMs(START, 60_000))).toBe(false);
  });

  test('after a pause each operation is tried by one probe, without a burst', () => {
    circuit.pauseUntil(addMs(START, 1000), 'allowance_used_up');
    expect(OPERATION_IDS.some(isProven)).toBe(false);
  });
});
