import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SteadyClock } from './steady-clock.ts';
import { DAY_MS } from './time-units.ts';

const START_MS = Date.UTC(2026, 10, 21, 12);

function makeMachine() {
  let monotonicMs = 12_345.678;
  let wallMs = START_MS;
  const clock = new SteadyClock({ monotonicMs: () => monotonicMs, wallMs: () => wallMs });
  return {
    clock,
    pass(ms: number) {
      monotonicMs += ms;
      wallMs += ms;
    },
    set(ms: number) {
      wallMs += ms;
      clock.wallMs();
    },
  };
}

const stepMs = fc.oneof(
  fc.integer({ min: -40 * DAY_MS, max: 40 * DAY_MS }),
  fc.constantFrom(-3_600_000, -60_000, 60_000, 3_600_000),
);
const life = fc.array(fc.record({ passMs: fc.integer({ min: 0, max: 600_000 }), stepMs }), {
  minLength: 1,
  maxLength: 12,
});

describe('SteadyClock', () => {
  test('runs with the monotonic clock, whatever the wall clock is set to', () => {
    fc.assert(
      fc.property(life, (moments) => {
        const { clock, pass, set } = makeMachine();
        let passedMs = 0;
        for (const { passMs, stepMs } of moments) {
          pass(passMs);
          set(stepMs);
          passedMs += passMs;
          expect(clock.nowMs()).toBe(START_MS + passedMs);
        }
      }),
    );
  });

  test('converts now to what the wall clock shows, and keeps the order of instants', () => {
    fc.assert(
      fc.property(life, (moments) => {
        const { clock, pass, set } = makeMachine();
        const instants: number[] = [];
        for (const { passMs, stepMs } of moments) {
          pass(passMs);
          instants.push(clock.nowMs());
          set(stepMs);
        }
        const shown = clock.wallMs();
        expect(Math.abs(clock.wallOf(clock.nowMs()) - shown)).toBeLessThan(50);
        const walls = instants.map((instant) => clock.wallOf(instant));
        expect(walls).toEqual([...walls].sort((a, b) => a - b));
        expect(walls.map((wall) => clock.steadyOf(wall))).toEqual(instants);
      }),
    );
  });

  test('an instant gets older by what passed and by every step forward, and never younger', () => {
    fc.assert(
      fc.property(life, (moments) => {
        const { clock, pass, set } = makeMachine();
        const at = clock.nowMs();
        let ageMs = 0;
        for (const { passMs, stepMs } of moments) {
          pass(passMs + 1);
          ageMs += passMs + 1;
          set(stepMs);
          if (stepMs > 0) ageMs += stepMs;
          expect(Math.abs(clock.wallMs() - clock.wallOf(at) - ageMs)).toBeLessThan(100);
        }
      }),
    );
  });

  test('reports steps of two seconds and more, and follows smaller ones silently', () => {
    const { clock, pass, set } = makeMachine();
    const reported: number[] = [];
    const end = clock.onStep(({ ms }) => reported.push(ms));
    for (const ms of [-60_000, 1500, -40, 40 * DAY_MS]) {
      pass(1000);
      set(ms);
    }
    expect(reported.map((ms) => Math.round(ms / 100) * 100)).toEqual([-60_000, 40 * DAY_MS]);
    expect(clock.steps).toBe(2);
    expect(clock.lastStep?.wallMs).toBe(clock.wallMs());
    end();
    set(60_000);
    expect(reported).toHaveLength(2);
  });

  test('a process that is paused between the readings sees no step', () => {
    let monotonicMs = 0;
    let pauses = 0;
    const clock = new SteadyClock({
      monotonicMs: () => monotonicMs,
      wallMs() {
        const shown = START_MS + monotonicMs;
        if (pauses > 0) {
          pauses -= 1;
          monotonicMs += 3000;
        }
        return shown;
      },
    });
    pauses = 2;
    clock.wallMs();
    expect(clock.steps).toBe(0);
  });
});
