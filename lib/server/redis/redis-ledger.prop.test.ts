import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { ModelAccount } from '../allowance/model-account.fixture.ts';
import type { Exchange } from '../allowance/model-consumer.fixture.ts';
import type { Spending } from '../ports/ledger.ts';
import type { RedisConnection } from './connection/redis-connection.ts';
import { type Fault, ModelFleet } from './model-fleet.fixture.ts';
import { connectTo, hasRedis, type RedisServer, startRedis } from './redis-server.fixture.ts';

const MIDNIGHT_MS = Date.UTC(2026, 10, 22);
const RUNS = Number(process.env.LEDGER_RUNS ?? 25);

const size = fc.oneof(
  fc.record({ perMinute: fc.integer({ min: 1, max: 6 }), perDay: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ perMinute: fc.integer({ min: 5, max: 80 }), perDay: fc.integer({ min: 20, max: 400 }) }),
);
const latencyMs = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 20_000 }));
const exchange: fc.Arbitrary<Exchange> = fc.record({
  pauseMs: fc.oneof(fc.constant(0), latencyMs),
  thereMs: latencyMs,
  backMs: latencyMs,
  end: fc.oneof(
    { weight: 8, arbitrary: fc.constant<Exchange['end']>('answered') },
    fc.constantFrom<Exchange['end'][]>('silent', 'lost', 'denied'),
  ),
});
const replica = fc.integer({ min: 0, max: 2 });

type Step = (fleet: ModelFleet) => void | Promise<void>;
/** Named, for whoever reads a counterexample. */
const step = <Parameters>(name: string, given: fc.Arbitrary<Parameters>, of: (given: Parameters) => Step) =>
  given.map((parameters) =>
    Object.assign(of(parameters), { [fc.toStringMethod]: () => `${name} ${fc.stringify(parameters)}` }),
  );

const requesting = step(
  'request',
  fc.record({
    whose: fc.uniqueArray(replica, { minLength: 1 }),
    spending: fc.constantFrom<Spending[]>('scheduled', 'first-view', 'history'),
    exchanges: fc.array(exchange, { minLength: 1, maxLength: 6 }),
  }),
  (each) => (fleet) => fleet.request(each.whose, each.spending, each.exchanges),
);
const passing = step(
  'pass',
  fc.oneof(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 40_000 })),
  (ms) => (fleet) => fleet.pass(ms),
);
const toTheEdge = step('edge', fc.integer({ min: -1500, max: 1500 }), (offMs) => (fleet) => {
  const edgeMs = MINUTE_MS - (fleet.nowMs % MINUTE_MS) + offMs;
  return fleet.pass(Math.max(0, edgeMs));
});
const killing = step(
  'kill',
  fc.tuple(replica, fc.boolean()),
  ([whose, arrives]) =>
    (fleet) =>
      fleet.kill(whose, arrives),
);
const stopping = step('stop', fc.tuple(replica, fc.integer({ min: 100, max: 90_000 })), ([whose, ms]) => (fleet) => {
  fleet.stop(whose, ms);
});
const failing = step(
  'fail',
  fc.tuple(replica, fc.array(fc.constantFrom<Fault[]>('unsent', 'unanswered', 'late'), { minLength: 1, maxLength: 3 })),
  ([whose, faults]) =>
    (fleet) =>
      fleet.fail(whose, faults),
);
const arriving = step('arrive late', fc.constant(undefined), () => (fleet) => fleet.arriveLate());
const flushing = step('flush', fc.constant(undefined), () => (fleet) => fleet.flush());
const copying = step('copy', fc.constant(undefined), () => (fleet) => fleet.copy());
const failingOver = step('fail over', fc.constant(undefined), () => (fleet) => fleet.failOver());

const common = [
  { weight: 8, arbitrary: requesting },
  { weight: 4, arbitrary: passing },
  { weight: 2, arbitrary: toTheEdge },
  { weight: 1, arbitrary: killing },
  { weight: 1, arbitrary: stopping },
  { weight: 2, arbitrary: failing },
  { weight: 1, arbitrary: arriving },
];
const disasters = [
  { weight: 1, arbitrary: flushing },
  { weight: 1, arbitrary: copying },
  { weight: 1, arbitrary: failingOver },
];
const setup = fc.record({
  size,
  startMs: fc.integer({ min: MIDNIGHT_MS - 6 * MINUTE_MS, max: MIDNIGHT_MS + 2 * MINUTE_MS }),
  // Differences between two of them are smaller than the margin that the ledger adds to the end of a window.
  clockErrorsMs: fc.tuple(...[0, 0, 0].map(() => fc.integer({ min: -400, max: 400 }))),
});
const PROMPT: Exchange = { pauseMs: 0, thereMs: 20, backMs: 20, end: 'answered' };

describe.skipIf(!hasRedis())('three replicas that share a ledger in Redis', () => {
  let server: RedisServer;
  let connection: RedisConnection;
  let runs = 0;
  let counted = 0;
  beforeAll(async () => {
    server = await startRedis();
    connection = await connectTo(server.target);
  });
  afterAll(async () => {
    connection.close();
    await server.remove();
    // Whoever grants nothing but the first probe overspends nothing.
    expect(counted).toBeGreaterThan(2 * runs);
  });

  async function followed(given: typeof setup extends fc.Arbitrary<infer T> ? T : never, steps: readonly Step[]) {
    const account = new ModelAccount(given.size);
    const fleet = new ModelFleet(connection, `run-${++runs}`, account, given.startMs, given.clockErrorsMs);
    await fleet.request([0], 'first-view', [PROMPT]);
    await fleet.pass(6000);
    fleet.blindProbes = 0;
    for (const follow of steps) await follow(fleet);
    await fleet.settle();
    counted += fleet.counted;
    return fleet;
  }

  test('never send a request that the upstream refuses, whatever is killed, stopped, lost or late', async () => {
    await fc.assert(
      fc.asyncProperty(setup, fc.array(fc.oneof(...common), { maxLength: 30, size: 'max' }), async (given, steps) => {
        const fleet = await followed(given, steps);
        expect(fleet.refused).toBe(0);
        const { account, ledger } = await fleet.left();
        expect(ledger.minute).toBeLessThanOrEqual(account.minute);
        expect(ledger.day).toBeLessThanOrEqual(account.day);
      }),
      { numRuns: RUNS },
    );
  });

  test('nor, beyond one for each probe that has to begin anew, where the store forgets all or fails over to a server that knows less', async () => {
    const steps = fc.array(fc.oneof(...common, ...disasters), { maxLength: 30, size: 'max' });
    await fc.assert(
      fc.asyncProperty(setup, steps, async (given, list) => {
        const { refused, blindProbes } = await followed(given, list);
        expect(refused).toBeLessThanOrEqual(blindProbes);
      }),
      { numRuns: RUNS },
    );
  });
});
