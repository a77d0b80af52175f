import { beforeEach, describe, expect, it } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { allotAircraft } from '../aircraft/aircraft-allotment.ts';
import { aircraftTrack } from '../aircraft/aircraft-track.ts';
import { type Fleet, makeFleet } from './fleet.ts';

const WORLD = { west: -180, south: -90, east: 180, north: 90 };
const NOW = upstreamInstant(Date.UTC(2026, 10, 21, 12));

/** The flights that were built, in order: index of the track and number of the flight. */
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

function request(window: Window): void {
  fleet.forEachFlight(WORLD, window, () => {});
}

describe('makeFleet', () => {
  it('builds almost no flight twice while requests alternate between now and five minutes of another day', () => {
    for (let index = 0; index < 12; index++) {
      const past = addMs(NOW, -50 * HOUR_MS + index * 300_000);
      request({ start: past, end: addMs(past, 300_000) });
      request({ start: addMs(NOW, index * 5000 - MINUTE_MS), end: addMs(NOW, index * 5000) });
    }
    expect(built.length).toBeGreaterThan(450);
    // A track that is between two flights at both times alternates between four.
    expect(built.length - new Set(built).size).toBeLessThan(10);
  });

  it('has built, after the steps of a window, every flight that requests for it need', () => {
    const window = { start: addMs(NOW, -HOUR_MS), end: addMs(NOW, 1) };
    expect([...fleet.build(window)].length).toBe(built.length);
    const needed = built.length;
    expect(needed).toBeGreaterThan(200);
    request(window);
    request({ start: addMs(NOW, -MINUTE_MS), end: NOW });
    expect(built.length).toBe(needed);
  });
});
