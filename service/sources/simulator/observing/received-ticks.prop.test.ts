import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allotAircraft } from '../aircraft/aircraft-allotment.ts';
import { aircraftTrack } from '../aircraft/aircraft-track.ts';
import { firstTickFrom, isReceived, latestReceived, tickMs, untilGapMs } from './received-ticks.ts';

const tasks = allotAircraft(3, 20);
const flight = fc
  .record({ index: fc.nat(19), number: fc.integer({ min: 1000, max: 2000 }) })
  .map(({ index, number }) => aircraftTrack(3, index, tasks[index]!).flight(number));
const part = fc.double({ min: -0.05, max: 1.05, noNaN: true });

describe('ticks', () => {
  it('are in the order of their numbers, about a period apart', () => {
    fc.assert(
      fc.property(flight, fc.nat(2000), (given, tick) => {
        const stepMs = tickMs(given, tick + 1) - tickMs(given, tick);
        expect(stepMs).toBeGreaterThan(given.reception.periodMs * 0.75);
        expect(stepMs).toBeLessThan(given.reception.periodMs * 1.25);
      }),
    );
  });

  it('firstTickFrom: the tick is due at or after the time, and the one before it earlier', () => {
    fc.assert(
      fc.property(flight, part, (given, share) => {
        const elapsedMs = Math.floor((given.endMs - given.startMs) * share);
        const first = firstTickFrom(given, elapsedMs);
        expect(tickMs(given, first)).toBeGreaterThanOrEqual(elapsedMs);
        if (first > 0) expect(tickMs(given, first - 1)).toBeLessThan(elapsedMs);
      }),
    );
  });
});

describe('latestReceived', () => {
  it('finds the same tick as a check of every tick', () => {
    fc.assert(
      fc.property(flight, part, fc.integer({ min: 1, max: 600_000 }), (given, share, spanMs) => {
        const untilMs = Math.floor((given.endMs - given.startMs) * share);
        let expected: number | undefined;
        for (let tick = firstTickFrom(given, untilMs - spanMs + 1); tickMs(given, tick) <= untilMs; tick++) {
          const dueMs = tickMs(given, tick);
          if (dueMs < given.endMs - given.startMs && isReceived(given, tick, dueMs)) expected = tick;
        }
        expect(latestReceived(given, untilMs - spanMs, untilMs)).toBe(expected);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the span of latestReceived', () => {
  it('excludes its start and includes its end', () => {
    fc.assert(
      fc.property(flight, fc.nat(500), (given, tick) => {
        const dueMs = tickMs(given, tick);
        fc.pre(dueMs < given.endMs - given.startMs && isReceived(given, tick, dueMs));
        expect(latestReceived(given, dueMs - 1, dueMs)).toBe(tick);
        expect(latestReceived(given, dueMs, dueMs)).toBeUndefined();
      }),
    );
  });
});

describe('a tick that is due in its first millisecond', () => {
  it('is found although its nominal time lies after the span', () => {
    const given = aircraftTrack(3, 16, tasks[16]!).flight(1627);
    const dueMs = tickMs(given, 6);
    const { phaseMs, periodMs } = given.reception;
    expect(dueMs).toBeLessThan(phaseMs + 6 * periodMs);
    expect(latestReceived(given, dueMs - 1, dueMs)).toBe(6);
  });
});

describe('gaps', () => {
  it('last longer than a live position is valid, and reception resumes after them', () => {
    const given = aircraftTrack(3, 7, tasks[7]!).flight(1500);
    const gaps = given.reception.gaps.filter(({ startMs }) => Number.isFinite(startMs));
    expect(gaps.length).toBeGreaterThan(0);
    for (const { startMs, endMs } of gaps) {
      expect(endMs - startMs).toBeGreaterThan(60_000);
      expect(latestReceived(given, startMs, endMs)).toBeUndefined();
      expect(latestReceived(given, endMs, endMs + 120_000)).toBeDefined();
      expect(untilGapMs(given, startMs - 1)).toBeCloseTo(1);
    }
  });
});
