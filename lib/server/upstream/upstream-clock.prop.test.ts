import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { epochMs, localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { UpstreamClock } from './upstream-clock.ts';

const exchange = fc.record({
  pauseMs: fc.integer({ min: 0, max: 120_000 }),
  thereMs: fc.integer({ min: 0, max: 10_000 }),
  backMs: fc.integer({ min: 0, max: 10_000 }),
});
const jumps = fc.constantFrom(HOUR_MS, -HOUR_MS, 24 * HOUR_MS, -24 * HOUR_MS);

class World {
  trueMs = Date.UTC(2026, 10, 21, 12);
  localOffsetMs: number;
  readonly clock: UpstreamClock;

  constructor(localOffsetMs: number) {
    this.localOffsetMs = localOffsetMs;
    this.clock = new UpstreamClock(() => this.#local());
  }

  #local() {
    return localInstant(this.trueMs + this.localOffsetMs);
  }

  exchange({ pauseMs, thereMs, backMs }: { pauseMs: number; thereMs: number; backMs: number }): void {
    this.trueMs += pauseMs;
    const sentAt = this.#local();
    this.trueMs += thereMs;
    const generatedAt = upstreamInstant(this.trueMs);
    this.trueMs += backMs;
    this.clock.sample(generatedAt, sentAt, this.#local());
  }

  get errorMs(): number {
    return Math.abs(epochMs(this.clock.now()) - this.trueMs);
  }
}

describe('UpstreamClock', () => {
  test('is never off by more than half the round trip of the last answer', () => {
    fc.assert(
      fc.property(fc.oneof(jumps, fc.integer({ min: -1e9, max: 1e9 })), fc.array(exchange), (offset, exchanges) => {
        const world = new World(offset);
        for (const each of exchanges) {
          world.exchange(each);
          expect(world.errorMs).toBeLessThanOrEqual((each.thereMs + each.backMs) / 2 + 1);
        }
      }),
    );
  });

  test('notices with the next answer that our own clock was set by an hour or a day', () => {
    fc.assert(
      fc.property(fc.array(exchange, { minLength: 1 }), jumps, exchange, (before, jumpMs, after) => {
        const world = new World(0);
        for (const each of before) world.exchange(each);
        world.localOffsetMs += jumpMs;
        world.exchange(after);
        expect(world.errorMs).toBeLessThanOrEqual((after.thereMs + after.backMs) / 2 + 1);
      }),
    );
  });

  test('keeps the estimate of a fast answer when a slow one follows', () => {
    const world = new World(5000);
    world.exchange({ pauseMs: 0, thereMs: 10, backMs: 10 });
    world.exchange({ pauseMs: 1000, thereMs: 9000, backMs: 0 });
    expect(world.errorMs).toBeLessThanOrEqual(11);
  });

  test('converts an instant to our own clock and back unchanged', () => {
    const world = new World(-HOUR_MS);
    world.exchange({ pauseMs: 0, thereMs: 35, backMs: 40 });
    const midnight = upstreamInstant(Date.UTC(2026, 10, 22));
    expect(world.clock.fromLocal(world.clock.toLocal(midnight))).toBe(midnight);
  });

  test('takes what another server tells: it is behind by the quickest message of the last minutes at most, and never ahead', () => {
    const message = fc.record({ pauseMs: fc.nat(2 * MINUTE_MS), delayMs: fc.nat(90_000) });
    fc.assert(
      fc.property(
        fc.array(message, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: -HOUR_MS, max: HOUR_MS }),
        (messages, aheadMs) => {
          const start = Date.UTC(2026, 10, 21, 12);
          let trueMs = start;
          const clock = new UpstreamClock(() => localInstant(trueMs + aheadMs));
          const received: { readonly atMs: number; readonly delayMs: number }[] = [];
          for (const { pauseMs, delayMs } of messages) {
            trueMs += pauseMs;
            clock.takeReport(upstreamInstant(trueMs - delayMs), localInstant(trueMs + aheadMs));
            received.push({ atMs: trueMs, delayMs });
            const behindMs = trueMs - epochMs(clock.now());
            expect(behindMs).toBeGreaterThanOrEqual(0);
            const lastMinute = received.filter(({ atMs }) => trueMs - atMs < MINUTE_MS).map((each) => each.delayMs);
            expect(behindMs).toBeLessThanOrEqual(Math.min(...lastMinute));
          }
        },
      ),
    );
  });

  test('prefers its own answers of the last minute to reports of other servers', () => {
    const clock = new UpstreamClock(() => localInstant(0));
    clock.sample(upstreamInstant(5000), localInstant(0), localInstant(0));
    clock.takeReport(upstreamInstant(9000), localInstant(1000));
    expect(epochMs(clock.fromLocal(localInstant(1000)))).toBe(6000);
    clock.takeReport(upstreamInstant(90_000), localInstant(MINUTE_MS + 1));
    expect(epochMs(clock.fromLocal(localInstant(MINUTE_MS + 1)))).toBe(90_000);
    clock.sample(upstreamInstant(70_000), localInstant(MINUTE_MS + 1), localInstant(MINUTE_MS + 1));
    expect(epochMs(clock.fromLocal(localInstant(MINUTE_MS + 1)))).toBe(70_000);
  });
});
