import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addMs, localInstant } from '#lib/time/instant.ts';
import { PaceGate } from './pace-gate.ts';

const start = localInstant(Date.UTC(2026, 10, 21));
const step = fc.record({
  pauseMs: fc.integer({ min: 0, max: 600_000 }),
  requests: fc.integer({ min: 1, max: 25 }),
  ratePerS: fc.option(fc.double({ min: 0, max: 5, noNaN: true }), { nil: undefined }),
});

describe('PaceGate', () => {
  test('in every period, the refreshes that pass use at most the rate and one burst', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const gate = new PaceGate();
        gate.setPace(1, 25, start);
        let now = start;
        let rate = 1;
        let given = 0;
        let taken = 0;
        // The maximum of `taken - given` over the periods that end now, from a running minimum over their starts.
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

  test('scheduled refreshes compensate for at most one burst of first views', () => {
    const gate = new PaceGate();
    gate.setPace(1, 1, start);
    gate.charge(13, start);
    expect(gate.pass(1, addMs(start, 3999))).toBe(false);
    expect(gate.pass(1, addMs(start, 4000))).toBe(true);
    gate.charge(1000, addMs(start, 4000));
    expect(gate.pass(1, addMs(start, 14_999))).toBe(false);
    expect(gate.pass(1, addMs(start, 15_000))).toBe(true);
  });

  test('first views that are charged and given back never open the gate further', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 50 }), fc.nat(20), (firstViews, before) => {
        const gate = new PaceGate();
        gate.setPace(1, 1, start);
        gate.charge(before, start);
        const tokens = gate.tokens(start);
        for (const requests of firstViews) gate.giveBack(gate.charge(requests, start), start);
        expect(gate.tokens(start)).toBe(tokens);
      }),
    );
  });

  test('the next refresh can use what the one before did not', () => {
    const gate = new PaceGate();
    gate.setPace(0, 1, start);
    expect(gate.pass(10, start)).toBe(true);
    expect(gate.pass(1, addMs(start, 86_400_000))).toBe(false);
    gate.giveBack(4, start);
    expect([1, 2, 3, 4, 5].map(() => gate.pass(1, start))).toEqual([true, true, true, true, false]);
  });

  test('setting the clock back grants nothing', () => {
    const gate = new PaceGate();
    gate.setPace(1, 1, start);
    gate.pass(10, start);
    expect(gate.pass(1, addMs(start, -3_600_000))).toBe(false);
    expect(gate.pass(1, addMs(start, 999))).toBe(false);
    expect(gate.pass(1, addMs(start, 1000))).toBe(true);
  });
});
