import { beforeEach, describe, expect, it } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { allotAircraft } from '../aircraft/aircraft-allotment.ts';
import { aircraftTrack } from '../aircraft/aircraft-track.ts';
import { type Fleet, makeFleet } from './fleet.ts';

const WORLD = { west: -180, south: -90, east: 180, north: 90 };
const NOW = upstreamInstant(Date.UTC(2026, 10, 21, 12));

/** What was built, in turn: index and number of the flight. */
let built: string[];
let fleet: Fleet;
beforeEach(() => {
  built = [];
  const tracks = allotAircraft(9, 200).map((task, index) => aircraftTrack(9, index, task));
  fleet = makeFleet(
    tracks.map((track, index) => ({
      ...track,
      flight(number) {
        built.push(`${index} ${number}`);
        return track.flight(number);
      },
    })),
  );
});

function ask(window: Window): void {
  fleet.forEachFlight(WORLD, window, () => {});
}

describe('makeFleet', () => {
  it('builds next to no flight twice while now and five minutes of another day are asked for in turn', () => {
    for (let index = 0; index < 12; index++) {
      const past = addMs(NOW, -50 * HOUR_MS + index * 300_000);
      ask({ start: past, end: addMs(past, 300_000) });
      ask({ start: addMs(NOW, index * 5000 - MINUTE_MS), end: addMs(NOW, index * 5000) });
    }
    expect(built.length).toBeGreaterThan(450);
    // A track that is between two flights in both times has four that take turns.
    expect(built.length - new Set(built).size).toBeLessThan(10);
  });

  it('has built, after the steps of a window, all that questions about it need', () => {
    const window = { start: addMs(NOW, -HOUR_MS), end: addMs(NOW, 1) };
    expect([...fleet.build(window)].length).toBe(built.length);
    const needed = built.length;
    expect(needed).toBeGreaterThan(200);
    ask(window);
    ask({ start: addMs(NOW, -MINUTE_MS), end: NOW });
    expect(built.length).toBe(needed);
  });
});
