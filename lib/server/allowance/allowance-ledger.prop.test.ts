import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { runs } from '#testing/budget.ts';
import type { Spending } from './ledger.ts';
import { ModelAccount } from './model-account.fixture.ts';
import { type Exchange, ModelConsumer } from './model-consumer.fixture.ts';

const MIDNIGHT_MS = Date.UTC(2026, 10, 22);

const size = fc.oneof(
  fc.record({ perMinute: fc.integer({ min: 1, max: 6 }), perDay: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ perMinute: fc.integer({ min: 5, max: 80 }), perDay: fc.integer({ min: 20, max: 400 }) }),
);
const spending = fc.constantFrom<Spending[]>('scheduled', 'first-view', 'history');
const latencyMs = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 20_000 }));
const exchange = (end: fc.Arbitrary<Exchange['end']>): fc.Arbitrary<Exchange> =>
  fc.record({ pauseMs: fc.oneof(fc.constant(0), latencyMs), thereMs: latencyMs, backMs: latencyMs, end });
const anyEnd = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Exchange['end']>('answered') },
  fc.constantFrom<Exchange['end'][]>('silent', 'lost', 'denied'),
);

const PROMPT: Exchange = { pauseMs: 0, thereMs: 20, backMs: 20, end: 'answered' };

type Step =
  | { readonly kind: 'request'; readonly spending: Spending; readonly exchanges: readonly Exchange[] }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'edge'; readonly offMs: number }
  | { readonly kind: 'crash'; readonly arrives: boolean };
class World {
  readonly account: ModelAccount;
  readonly consumer: ModelConsumer;

  constructor(perMinute: number, perDay: number, startMs: number, clockErrorMs: number, daysBefore = 0) {
    this.account = new ModelAccount({ perMinute, perDay });
    this.consumer = new ModelConsumer(this.account, startMs - daysBefore * DAY_MS, clockErrorMs);
    for (let day = 0; day <= daysBefore; day++) {
      if (day > 0) this.consumer.pass(DAY_MS);
      this.consumer.request('first-view', [PROMPT]);
      this.consumer.settle();
    }
  }

  follow(step: Step): void {
    const { consumer } = this;
    if (step.kind === 'request') consumer.request(step.spending, step.exchanges);
    if (step.kind === 'pass') consumer.pass(step.ms);
    if (step.kind === 'edge') consumer.pass(Math.max(0, MINUTE_MS - (consumer.nowMs % MINUTE_MS) + step.offMs));
    if (step.kind === 'crash') consumer.crash(step.arrives);
  }

  left() {
    const { nowMs, ledger, now } = this.consumer;
    const { minute, day } = ledger.state(now);
    return { account: this.account.remaining(nowMs), ledger: { minute: minute.remaining, day: day.remaining } };
  }
}

const anyExchanges = fc.array(exchange(anyEnd), { minLength: 1, maxLength: 8 });
const requesting = fc.record({ kind: fc.constant('request' as const), spending, exchanges: anyExchanges });
const passing = fc.record({
  kind: fc.constant('pass' as const),
  ms: fc.oneof(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 90_000 })),
});
const toTheEdge = fc.record({ kind: fc.constant('edge' as const), offMs: fc.integer({ min: -1500, max: 1500 }) });
const crashing = fc.record({ kind: fc.constant('crash' as const), arrives: fc.boolean() });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: requesting },
  { weight: 4, arbitrary: passing },
  { weight: 2, arbitrary: toTheEdge },
  { weight: 1, arbitrary: crashing },
);

const steps = (maxLength: number) => fc.array(anyStep, { maxLength, size: 'max' });

const aroundMidnight = fc.integer({ min: MIDNIGHT_MS - 6 * MINUTE_MS, max: MIDNIGHT_MS + 2 * MINUTE_MS });
/** Smaller than the ledger's margin at the end of a window. */
const clockErrorMs = fc.integer({ min: -900, max: 900 });
const worldOf = (sizes: typeof size) =>
  fc
    .tuple(sizes, aroundMidnight, clockErrorMs)
    .map(([each, startMs, errorMs]) => [each.perMinute, each.perDay, startMs, errorMs] as const);
const world = worldOf(size);

describe('AllowanceLedger as the account’s only consumer', () => {
  test('never grants a request that the upstream refuses, whatever the latencies, reordering, window ends and crashes', () => {
    fc.assert(
      fc.property(world, steps(60), (setup, list) => {
        fc.pre(setup[1] > 1);
        const made = new World(...setup, 1);
        for (const step of list) made.follow(step);
        made.consumer.settle();
        expect(made.consumer.refused).toBe(0);
      }),
      { numRuns: runs(1500) },
    );
  });

  test('before it has seen a day from its start, it guesses a few times that a new one has more than was left of the first', () => {
    const guesses: number[] = [];
    fc.assert(
      fc.property(world, steps(60), (setup, list) => {
        const made = new World(...setup);
        for (const step of list) made.follow(step);
        made.consumer.settle();
        guesses.push(made.consumer.refused);
        // Tries are refused 1, 2, 4, … 128 minutes after midnight.
        expect(made.consumer.refused).toBeLessThanOrEqual(8);
      }),
      { numRuns: runs(1500) },
    );
    expect(guesses.filter((each) => each > 0).length, 'almost never').toBeLessThan(guesses.length / 50);
  });

  test('never overestimates what remains', () => {
    fc.assert(
      fc.property(world, steps(60), (setup, list) => {
        const made = new World(...setup);
        const wrong: object[] = [];
        for (const step of list) {
          made.follow(step);
          made.consumer.settle();
          const { account, ledger } = made.left();
          if ((ledger.minute ?? 0) > account.minute || (ledger.day ?? 0) > account.day) wrong.push({ account, ledger });
        }
        expect(wrong).toEqual([]);
      }),
      { numRuns: runs(500) },
    );
  });

  test('within a window, knows exactly what remains once every request was answered, in any order', () => {
    const startMs = MIDNIGHT_MS - 12 * HOUR_MS;
    const quick = exchange(fc.constant('answered')).map((each) => ({
      ...each,
      pauseMs: each.pauseMs % 100,
      thereMs: each.thereMs % 1000,
      backMs: each.backMs % 1000,
    }));
    const requests = fc.array(fc.tuple(spending, fc.array(quick, { minLength: 1, maxLength: 4 })), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(size, requests, ({ perMinute, perDay }, list) => {
        const made = new World(perMinute, perDay, startMs, 0);
        for (const [what, exchanges] of list) {
          made.consumer.request(what, exchanges);
          made.consumer.pass(exchanges.length * 100);
        }
        made.consumer.settle();
        expect(made.left().ledger).toEqual(made.left().account);
      }),
      { numRuns: runs(500) },
    );
  });

  test('the whole allowance can be used on the next day, after any events', () => {
    // A smaller day could be used up by the requests right at midnight.
    const ordinary = fc.record({
      perMinute: fc.integer({ min: 5, max: 20 }),
      perDay: fc.integer({ min: 100, max: 400 }),
    });
    fc.assert(
      fc.property(worldOf(ordinary), steps(40), (setup, list) => {
        const made = new World(...setup);
        for (const step of list) made.follow(step);
        const { consumer } = made;
        consumer.settle();
        consumer.pass(DAY_MS - (consumer.nowMs % DAY_MS) + 15 * MINUTE_MS + 15_000);
        consumer.request('first-view', [PROMPT]);
        consumer.settle();
        expect(made.left().ledger).toEqual(made.left().account);
      }),
      { numRuns: runs(500) },
    );
  });

  test('today’s count is never below the requests that were sent and counted, crashes included', () => {
    fc.assert(
      fc.property(world, steps(40), (setup, list) => {
        const made = new World(...setup);
        const { consumer } = made;
        consumer.pass(MIDNIGHT_MS + 3 * MINUTE_MS - consumer.nowMs);
        const countedBefore = consumer.counted;
        for (const step of list) {
          made.follow(step);
          const { spentToday, day } = consumer.ledger.state(consumer.now);
          expect(spentToday + day.reserved).toBeGreaterThanOrEqual(consumer.counted - countedBefore);
        }
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('AllowanceLedger, when another consumer uses up the account', () => {
  test('sends what was already granted, and at most one further request', () => {
    const noon = fc.integer({ min: MIDNIGHT_MS - 12 * HOUR_MS, max: MIDNIGHT_MS - 11 * HOUR_MS });
    const underWay = fc.array(exchange(fc.constant('answered')), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        size,
        noon,
        fc.constantFrom('minute' as const, 'day' as const),
        underWay,
        spending,
        ({ perMinute, perDay }, startMs, window, exchanges, what) => {
          const minuteStartMs = startMs - (startMs % MINUTE_MS) + 2000;
          const made = new World(perMinute, perDay, minuteStartMs, 0);
          const { consumer, account } = made;
          const granted = consumer.request(what, exchanges);
          account.burn(window, consumer.nowMs);
          const endMs = window === 'minute' ? minuteStartMs - 2000 + MINUTE_MS : minuteStartMs + 10 * MINUTE_MS;
          while (consumer.nowMs < endMs - 1000) {
            consumer.request(what, [PROMPT]);
            consumer.pass(500);
          }
          expect(consumer.refused).toBeLessThanOrEqual(granted + 1);
        },
      ),
      { numRuns: runs(300) },
    );
  });
});
