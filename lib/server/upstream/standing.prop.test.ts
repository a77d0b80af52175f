import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { OPERATION_IDS, type OperationId } from '#lib/contract/operation.ts';
import { addMs, type Instant, instantFromMs } from '#lib/time/instant.ts';
import { DENIED_RECHECK_MS, Standing } from './standing.ts';

const START = instantFromMs(Date.UTC(2026, 10, 21, 12));
const QUERY = '/live/rid?bbox=8,47,9,48';
const random = () => 0.5;

/** What the answers so far forbid, written down in the plainest way. */
class Forbidden {
  now = START;
  readonly keys = new Set<string>();
  readonly layersUntil = new Map<OperationId, number>();
  heldUntil = 0;

  holds(layer: OperationId, keyId: string): boolean {
    return this.keys.has(keyId) || this.now < (this.layersUntil.get(layer) ?? 0) || this.now < this.heldUntil;
  }
}

type Answer = (standing: Standing, forbidden: Forbidden) => void;
const layer = fc.constantFrom(...OPERATION_IDS);
const passing = fc.integer({ min: 0, max: 600_000 }).map(
  (ms): Answer =>
    (_, forbidden) => {
      forbidden.now = addMs(forbidden.now, ms);
    },
);
const denied = layer.map(
  (layer): Answer =>
    (standing, forbidden) => {
      standing.operationDenied(layer, forbidden.now);
      forbidden.layersUntil.set(layer, forbidden.now + DENIED_RECHECK_MS);
    },
);
const held = fc.integer({ min: 0, max: 900_000 }).map(
  (ms): Answer =>
    (standing, forbidden) => {
      const until = addMs(forbidden.now, ms);
      standing.holdUntil(until, 'allowance_used_up');
      forbidden.heldUntil = Math.max(forbidden.heldUntil, until);
    },
);
const accepted = layer.map(
  (layer): Answer =>
    (standing, forbidden) => {
      standing.accepted(layer);
      forbidden.layersUntil.delete(layer);
    },
);
const failed = layer.map(
  (layer): Answer =>
    (standing, forbidden) => {
      standing.failed(layer, 'service_timeout', forbidden.now);
    },
);
const refused: fc.Arbitrary<Answer> = fc.constant((standing, forbidden) => {
  standing.keyRefused('k1');
  forbidden.keys.add('k1');
});
const answers = fc.array(fc.oneof(passing, denied, held, accepted, failed, refused), { maxLength: 30 });

describe('Standing', () => {
  test('whatever is answered in whatever order, nothing is sent while it is forbidden', () => {
    fc.assert(
      fc.property(answers, (list) => {
        const [standing, forbidden] = [new Standing(random), new Forbidden()];
        for (const answer of list) {
          answer(standing, forbidden);
          for (const each of OPERATION_IDS) {
            if (!forbidden.holds(each, 'k1')) continue;
            expect(standing.blocked(each, QUERY, 'k1', forbidden.now)).toBeDefined();
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  test('and nothing is forbidden for ever: but for a refused key, a day later everything may be tried again', () => {
    fc.assert(
      fc.property(answers, (list) => {
        const [standing, forbidden] = [new Standing(random), new Forbidden()];
        for (const answer of list) answer(standing, forbidden);
        for (const each of OPERATION_IDS) {
          expect(standing.blocked(each, QUERY, 'k2', addMs(forbidden.now, 86_400_000))).toBeUndefined();
        }
      }),
    );
  });

  test('a hold is never shortened by a later, laxer answer', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 900_000 }), { minLength: 1 }), (spansMs) => {
        const standing = new Standing(random);
        for (const ms of spansMs) standing.holdUntil(addMs(START, ms), 'service_busy');
        const longest = addMs(START, Math.max(...spansMs));
        expect(standing.blocked('live_rid', QUERY, 'k1', addMs(longest, -1))?.until).toBe(longest);
        expect(standing.blocked('live_rid', QUERY, 'k1', longest)).toBeUndefined();
      }),
    );
  });

  test('backoff grows with each failure, is bounded at a minute, and ends with a usable answer', () => {
    const standing = new Standing(() => 0.999_999);
    const waits: number[] = [];
    let now: Instant = START;
    for (let failures = 0; failures < 20; failures++) {
      const until = standing.failed('live_adsb', 'service_unreachable', now).until as Instant;
      waits.push(until - now);
      now = until;
    }
    expect(waits.slice(0, 6)).toEqual([2000, 4000, 8000, 16_000, 32_000, 60_000]);
    expect(Math.max(...waits)).toBe(60_000);
    standing.accepted('live_adsb');
    expect(standing.blocked('live_adsb', QUERY, 'k1', now)).toBeUndefined();
    expect((standing.failed('live_adsb', 'service_unreachable', now).until as Instant) - now).toBe(2000);
  });
});

describe('what a refusal latches, and nothing more', () => {
  let standing: Standing;
  beforeEach(() => {
    standing = new Standing(random);
    for (const each of OPERATION_IDS) standing.accepted(each);
  });
  const mayAsk = (layer: OperationId, keyId = 'k1', query = QUERY, now = START) =>
    standing.blocked(layer, query, keyId, now) === undefined;

  test('a 401 latches that key for every layer and for all time, and no other key', () => {
    standing.keyRefused('k1');
    expect(mayAsk('live_rid') || mayAsk('live_adsb') || mayAsk('live_rid', 'k1', QUERY, addMs(START, 1e12))).toBe(
      false,
    );
    expect(mayAsk('live_rid', 'k2')).toBe(true);
  });

  test('a changed key is tried by one probe, also where an answer to the old one came late', () => {
    standing.keyRefused('k1');
    standing.accepted('live_adsb');
    expect(mayAsk('live_adsb', 'k2')).toBe(true);
    expect(standing.isProven('live_adsb')).toBe(false);
  });

  test('a 403 latches its layer for 15 minutes, then one probe; the other layer goes on', () => {
    standing.operationDenied('live_rid', START);
    expect(mayAsk('live_rid', 'k1', QUERY, addMs(START, 15 * 60_000 - 1))).toBe(false);
    expect(mayAsk('live_rid', 'k1', QUERY, addMs(START, 15 * 60_000))).toBe(true);
    expect(standing.isProven('live_rid')).toBe(false);
    expect(mayAsk('live_adsb') && standing.isProven('live_adsb')).toBe(true);
  });

  test('a 400 latches that query; a 404 its operation', () => {
    standing.queryRejected(QUERY);
    expect([mayAsk('live_rid'), mayAsk('live_rid', 'k1', 'other')]).toEqual([false, true]);
    standing.pathWrong('live_adsb');
    expect([mayAsk('live_adsb', 'k1', 'other'), mayAsk('live_rid', 'k1', 'other')]).toEqual([false, true]);
  });

  test('a failure of one layer holds back that layer alone', () => {
    standing.failed('live_rid', 'service_timeout', START);
    expect([mayAsk('live_rid'), mayAsk('live_adsb')]).toEqual([false, true]);
  });

  test('after a hold everybody is tried by one probe: no burst when it ends', () => {
    standing.holdUntil(addMs(START, 1000), 'allowance_used_up');
    expect(OPERATION_IDS.some((each) => standing.isProven(each))).toBe(false);
  });
});
