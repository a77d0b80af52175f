import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstTickFrom, gapStartMs, isReceived, latestReceived, tickMs } from './reception.ts';
import { flightsWithin } from './track.ts';
import { makeTracks } from './traffic.ts';

const tracks = makeTracks({ seed: 3, aircraft: 20, drones: 5 });
const flight = fc
  .record({ track: fc.constantFrom(...tracks), atMs: fc.integer({ min: 0, max: 2e12 }) })
  .map(({ track, atMs }) => flightsWithin(track, atMs, atMs + track.movingMs)[0]!);
const part = fc.double({ min: -0.05, max: 1.05, noNaN: true });

describe('ticks', () => {
  it('are in the order of their numbers, about a period apart', () => {
    fc.assert(
      fc.property(flight, fc.nat(2000), (given, tick) => {
        const stepMs = tickMs(given, tick + 1) - tickMs(given, tick);
        expect(stepMs).toBeGreaterThan(given.periodMs * 0.75);
        expect(stepMs).toBeLessThan(given.periodMs * 1.25);
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
          if (tickMs(given, tick) < given.endMs - given.startMs && isReceived(given, tick)) expected = tick;
        }
        expect(latestReceived(given, untilMs - spanMs, untilMs)).toBe(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('excludes the start of the span and includes its end', () => {
    fc.assert(
      fc.property(flight, fc.nat(500), (given, tick) => {
        const dueMs = tickMs(given, tick);
        fc.pre(dueMs < given.endMs - given.startMs && isReceived(given, tick));
        expect(latestReceived(given, dueMs - 1, dueMs)).toBe(tick);
        expect(latestReceived(given, dueMs, dueMs)).toBeUndefined();
      }),
    );
  });
});

describe('a gap', () => {
  it('has no sightings until its cycle ends, and reception resumes after it', () => {
    fc.assert(
      fc.property(flight, fc.nat(3_000_000), (given, elapsedMs) => {
        const startMs = gapStartMs(given, elapsedMs);
        fc.pre(Number.isFinite(startMs));
        const endMs = startMs + given.track.coverage.gapMs[0];
        fc.pre(endMs + 120_000 < given.endMs - given.startMs);
        expect(latestReceived(given, startMs, endMs)).toBeUndefined();
        const resumedMs = (Math.floor(startMs / 480_000) + 1) * 480_000;
        if (!Number.isFinite(gapStartMs(given, resumedMs)) && resumedMs + 120_000 < given.endMs - given.startMs)
          expect(latestReceived(given, resumedMs, resumedMs + 120_000)).toBeDefined();
      }),
    );
  });
});
