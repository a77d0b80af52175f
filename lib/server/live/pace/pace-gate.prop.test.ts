import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addMs, msBetween, upstreamInstant } from '#lib/time/instant.ts';
import { PaceGate } from './pace-gate.ts';

const start = upstreamInstant(Date.UTC(2026, 10, 21));
const step = fc.record({
  pauseMs: fc.integer({ min: 0, max: 600_000 }),
  requests: fc.integer({ min: 1, max: 25 }),
  ratePerS: fc.option(fc.double({ min: 0, max: 5, noNaN: true }), { nil: undefined }),
});

describe('PaceGate', () => {
  test('in every stretch of time, sweeps that pass take no more than the rate gives and one burst', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const gate = new PaceGate();
        gate.setPace(1, 25, start);
        let now = start;
        let rate = 1;
        let given = 0;
        let taken = 0;
        // The greatest of `taken - given` over stretches that end now, kept as a running minimum of where they begin.
        let lowest = 0;
        for (const { pauseMs, requests, ratePerS } of steps) {
          now = addMs(now, pauseMs);
          given += (rate * pauseMs) / 1000;
          lowest = Math.min(lowest, taken - given);
          if (ratePerS !== undefined) {
            rate = ratePerS;
            gate.setPace(rate, 25, now);
          }
          if (gate.pass(requests, now)) taken += requests;
          expect(taken - given - lowest).toBeLessThanOrEqual(25 + 1e-3);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('what waits until `passesAt` passes then, and not a second sooner', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.001, max: 5, noNaN: true }),
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 20 }),
        (rate, sweeps) => {
          const gate = new PaceGate();
          gate.setPace(rate, 20, start);
          let now = start;
          for (const requests of sweeps) {
            const at = gate.passesAt(requests, now);
            if (at === undefined) throw new Error('a rate above 0 lets everything through in the end');
            if (at > now)
              expect(gate.pass(requests, addMs(at, Math.min(-1000, msBetween(at, now))))).toBe(msBetween(now, at) < 0);
            expect(gate.pass(requests, at)).toBe(true);
            now = at;
          }
        },
      ),
    );
  });

  test('sweeps make up for arrivals, but for one burst of them at most', () => {
    const gate = new PaceGate();
    gate.setPace(1, 1, start);
    gate.charge(13, start);
    expect(gate.passesAt(1, start)).toBe(addMs(start, 4000));
    gate.charge(1000, start);
    expect(gate.passesAt(1, start)).toBe(addMs(start, 11_000));
  });

  test('arrivals that come to nothing and are given back open the gate no further, however many they are', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 50 }), fc.nat(20), (arrivals, before) => {
        const gate = new PaceGate();
        gate.setPace(1, 1, start);
        gate.charge(before, start);
        const passesAt = gate.passesAt(1, start);
        for (const requests of arrivals) gate.giveBack(gate.charge(requests, start), start);
        expect(gate.passesAt(1, start)).toBe(passesAt);
      }),
    );
  });

  test('what a sweep did not use can be used by the next', () => {
    const gate = new PaceGate();
    gate.setPace(0, 1, start);
    expect(gate.pass(10, start)).toBe(true);
    expect(gate.passesAt(1, start)).toBeUndefined();
    gate.giveBack(4, start);
    expect([1, 2, 3, 4, 5].map(() => gate.pass(1, start))).toEqual([true, true, true, true, false]);
  });

  test('a clock that is set back gives nothing', () => {
    const gate = new PaceGate();
    gate.setPace(1, 1, start);
    gate.pass(10, start);
    expect(gate.pass(1, addMs(start, -3_600_000))).toBe(false);
    expect(gate.pass(1, addMs(start, 999))).toBe(false);
    expect(gate.pass(1, addMs(start, 1000))).toBe(true);
  });
});
