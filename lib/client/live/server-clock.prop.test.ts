import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { epochMs, localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS } from '#lib/time/time-units.ts';
import { ServerClock } from './server-clock.ts';

class World {
  trueMs = Date.UTC(2026, 10, 21, 12);
  #monotonicMs = 1000;
  #wallOffsetMs: number;
  readonly clock: ServerClock;

  constructor(wallOffsetMs: number) {
    this.#wallOffsetMs = wallOffsetMs;
    this.clock = new ServerClock({
      monotonicMs: () => this.#monotonicMs,
      wallNow: () => localInstant(this.trueMs + this.#wallOffsetMs),
    });
  }

  run(ms: number): void {
    this.trueMs += ms;
    this.#monotonicMs += ms;
  }

  sleep(ms: number): void {
    this.trueMs += ms;
  }

  setWall(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  answer(delayMs: number): void {
    this.clock.sync(upstreamInstant(this.trueMs - delayMs), delayMs);
  }

  get tooOldMs(): number {
    const now = this.clock.now();
    return now === undefined ? Number.NaN : epochMs(now) - this.trueMs;
  }
}

type Step = (world: World) => void;
const span = fc.integer({ min: 0, max: 2 * HOUR_MS });
const run = span.map(
  (ms): Step =>
    (world) =>
      world.run(ms),
);
const sleep = span.map(
  (ms): Step =>
    (world) =>
      world.sleep(ms),
);
const answer = fc.integer({ min: 0, max: 5000 }).map(
  (ms): Step =>
    (world) =>
      world.answer(ms),
);
const setWall = fc.integer({ min: -HOUR_MS, max: HOUR_MS }).map(
  (ms): Step =>
    (world) =>
      world.setWall(ms),
);
const wallOffset = fc.constantFrom(0, HOUR_MS, -HOUR_MS, DAY_MS, -12_345);

describe('ServerClock', () => {
  test('a browser clock that is hours or a day off affects no age, awake or asleep', () => {
    fc.assert(
      fc.property(wallOffset, fc.array(fc.oneof(run, sleep, answer)), (offset, steps) => {
        const world = new World(offset);
        world.answer(0);
        for (const step of steps) {
          step(world);
          expect(world.tooOldMs).toBe(0);
        }
      }),
    );
  });

  test('changing the browser’s clock never makes a position look too young', () => {
    fc.assert(
      fc.property(wallOffset, fc.array(fc.oneof(run, setWall, answer)), (offset, steps) => {
        const world = new World(offset);
        world.answer(0);
        for (const step of steps) {
          step(world);
          expect(world.tooOldMs).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  test('the next answer corrects the clock', () => {
    fc.assert(
      fc.property(wallOffset, fc.array(fc.oneof(run, sleep, setWall)), (offset, steps) => {
        const world = new World(offset);
        world.answer(0);
        for (const step of steps) step(world);
        world.answer(250);
        expect(world.tooOldMs).toBe(0);
      }),
    );
  });

  test('before the first answer `now` is unknown, and only `presumedNow` falls back to the browser’s time', () => {
    const world = new World(HOUR_MS);
    expect(world.clock.now()).toBeUndefined();
    expect(world.clock.presumedNow()).toBe(world.trueMs + HOUR_MS);
    world.answer(0);
    expect(world.clock.presumedNow()).toBe(world.trueMs);
  });
});
