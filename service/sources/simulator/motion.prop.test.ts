import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bearingDeg, distanceM } from '#lib/geo/great-circle.ts';
import { ALL_AIRPORTS } from './airports.ts';
import { type Flight, flightsWithin, type Motion, motionAt, type SimulatedTrack } from './track.ts';
import { makeTracks } from './traffic.ts';

const tracks = makeTracks({ seed: 11, aircraft: 900, drones: 150 });
const instantMs = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 0, 1) });
const flightOf = (of: readonly SimulatedTrack[]) =>
  fc
    .record({ track: fc.constantFrom(...of), atMs: instantMs })
    .map(({ track, atMs }) => flightsWithin(track, atMs, atMs + track.movingMs)[0]!);
const anyFlight = flightOf(tracks);
const aircraftFlight = flightOf(tracks.filter(({ layer }) => layer === 'adsb'));
const droneFlight = flightOf(tracks.filter(({ layer }) => layer === 'rid'));

const durationMs = ({ startMs, endMs }: Flight) => endMs - startMs;

function forEachSecond(flight: Flight, visit: (now: Motion, next: Motion) => void): void {
  let now = motionAt(flight, 0);
  for (let ms = 1000; ms <= durationMs(flight); ms += 1000) {
    const next = motionAt(flight, ms);
    visit(now, next);
    now = next;
  }
}

/** @returns -180 to 180 */
const turnDeg = (from: number, to: number) => ((((to - from + 180) % 360) + 360) % 360) - 180;

describe('a track', () => {
  it('has flights in the order of their numbers, with silence between them, at any time', () => {
    fc.assert(
      fc.property(fc.constantFrom(...tracks), instantMs, (track, startMs) => {
        const flights = flightsWithin(track, startMs, startMs + 4 * track.movingMs);
        expect(flights.length).toBeGreaterThanOrEqual(3);
        for (const [index, flight] of flights.slice(1).entries()) {
          expect(flight.number).toBe(flights[index]!.number + 1);
          expect(flight.startMs).toBeGreaterThan(flights[index]!.endMs + 60_000);
        }
      }),
    );
  });

  it('has the same flights in any span', () => {
    fc.assert(
      fc.property(anyFlight, fc.double({ min: 0, max: 0.999, noNaN: true }), (flight, part) => {
        const atMs = flight.startMs + Math.floor(durationMs(flight) * part);
        expect(flightsWithin(flight.track, atMs, atMs + 1)).toEqual([flight]);
      }),
    );
  });
});

describe('any flight', () => {
  it('begins and ends at rest on the ground, where the next one begins', () => {
    fc.assert(
      fc.property(anyFlight, (flight) => {
        const [first, last] = [motionAt(flight, 0), motionAt(flight, durationMs(flight))];
        for (const { speedMps, heightAglM } of [first, last]) {
          expect(speedMps).toBeCloseTo(0, 6);
          expect(heightAglM).toBeCloseTo(0, 6);
        }
        const [next] = flightsWithin(flight.track, flight.endMs, flight.endMs + flight.track.movingMs);
        expect(distanceM(last, motionAt(next!, 0))).toBeLessThan(1);
      }),
    );
  });

  it('moves as far as its speed says, in the direction of its heading, and stays within reach of its centre', () => {
    fc.assert(
      fc.property(anyFlight, (flight) => {
        const { centre, reachM } = flight.track;
        forEachSecond(flight, (now, next) => {
          const [slowest, fastest] = [Math.min(now.speedMps, next.speedMps), Math.max(now.speedMps, next.speedMps)];
          const movedM = distanceM(now, next);
          if (movedM < slowest - 0.6 || movedM > fastest + 0.6) expect([movedM, now, next]).toBe('at its speed');
          const isStraight = movedM > 2 && Math.abs(turnDeg(now.headingDeg, next.headingDeg)) < 1;
          if (isStraight && Math.abs(turnDeg(now.headingDeg, bearingDeg(now, next))) > 2)
            expect([now, next]).toBe('in its direction');
          if (distanceM(centre, next) > reachM + 1) expect(next).toBe('within reach');
        });
      }),
      { numRuns: 30 },
    );
  });
});

describe('a flight of an aircraft', () => {
  it('accelerates, climbs and turns no faster than aircraft can', () => {
    fc.assert(
      fc.property(aircraftFlight, (flight) => {
        const worst = { accelerationMps2: 0, climbMps: 0, turnDegPerS: 0 };
        forEachSecond(flight, (now, next) => {
          worst.accelerationMps2 = Math.max(worst.accelerationMps2, Math.abs(next.speedMps - now.speedMps));
          worst.climbMps = Math.max(worst.climbMps, Math.abs(next.altitudeM - now.altitudeM));
          worst.turnDegPerS = Math.max(worst.turnDegPerS, Math.abs(turnDeg(now.headingDeg, next.headingDeg)));
        });
        expect(worst.accelerationMps2).toBeLessThan(1);
        expect(worst.climbMps).toBeLessThan(15);
        expect(worst.turnDegPerS).toBeLessThan(6);
      }),
      { numRuns: 30 },
    );
  });

  it('flies between airports, at known heights only near them', () => {
    const nearestM = (place: Motion) => Math.min(...ALL_AIRPORTS.map((airport) => distanceM(place, airport)));
    fc.assert(
      fc.property(aircraftFlight, fc.double({ min: 0, max: 1, noNaN: true }), (flight, part) => {
        const ends = [motionAt(flight, 0), motionAt(flight, durationMs(flight))];
        for (const end of ends) expect(nearestM(end)).toBeLessThan(1000);
        const now = motionAt(flight, durationMs(flight) * part);
        const fromEndM = Math.min(...ends.map((end) => distanceM(end, now)));
        if (fromEndM < 10_000) expect(now.heightAglM).toBeGreaterThanOrEqual(0);
        if (fromEndM > 13_000) expect(now.heightAglM).toBeNull();
      }),
    );
  });
});

describe('a flight of a drone', () => {
  it('stays below 120 m, at up to 12 m/s, near its home, and hovers on the way', () => {
    fc.assert(
      fc.property(droneFlight, (flight) => {
        const home = motionAt(flight, 0);
        let hoverS = 0;
        forEachSecond(flight, (_now, next) => {
          const { speedMps, heightAglM } = next;
          if (heightAglM === null || heightAglM < 0 || heightAglM > 120) expect(next).toBe('below 120 m');
          if (speedMps > 12) expect(next).toBe('slow');
          if (distanceM(home, next) > 200) expect(next).toBe('near home');
          if (speedMps === 0 && heightAglM! > 10) hoverS += 1;
        });
        expect(hoverS).toBeGreaterThan(60);
      }),
      { numRuns: 40 },
    );
  });
});
