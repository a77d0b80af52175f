import { beforeEach, describe, expect, it } from 'vitest';
import { addMs, instantFromMs } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { allotAircraft } from './aircraft-allotment.ts';
import { aircraftTrack } from './aircraft-track.ts';
import { type Fleet, makeFleet } from './fleet.ts';

const WORLD = { west: -180, south: -90, east: 180, north: 90 };
const NOW = instantFromMs(Date.UTC(2026, 10, 21, 12));
const HOUR_MS = 3_600_000;

let built: number;
let fleet: Fleet;
beforeEach(() => {
  built = 0;
  const tracks = allotAircraft(9, 200).map((task, index) => aircraftTrack(9, index, task));
  fleet = makeFleet(
    tracks.map((track) => ({
      ...track,
      flight(number) {
        built++;
        return track.flight(number);
      },
    })),
  );
});

function buildsOf(window: Window): number {
  const before = built;
  fleet.forEachFlight(WORLD, window, () => {});
  return built - before;
}

const moment = (at = NOW) => ({ start: addMs(at, -60_000), end: at });

describe('makeFleet', () => {
  it('builds no flight again while now and five minutes of another day are asked for in turn', () => {
    const past = (index: number) => {
      const start = addMs(NOW, -50 * HOUR_MS + index * 300_000);
      return { start, end: addMs(start, 300_000) };
    };
    const first = buildsOf(moment()) + buildsOf(past(0));
    expect(first).toBeGreaterThan(350);
    for (let index = 0; index < 12; index++) {
      buildsOf(past(index));
      // A flight that has begun since is new; no other is.
      expect(buildsOf(moment(addMs(NOW, index * 5000)))).toBeLessThan(5);
      expect(buildsOf(past(index))).toBe(0);
    }
  });

  it('has built, after the steps of a window, all that questions about it need', () => {
    const window = { start: addMs(NOW, -HOUR_MS), end: addMs(NOW, 1) };
    expect([...fleet.build(window)].length).toBe(built);
    expect(built).toBeGreaterThan(200);
    expect(buildsOf(window)).toBe(0);
    expect(buildsOf(moment())).toBe(0);
  });
});
