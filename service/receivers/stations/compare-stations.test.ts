import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { TrackKey } from '../fix.ts';
import { StationComparison } from './compare-stations.ts';
import type { AircraftHour } from './deafness.ts';
import { UsualReach } from './usual-reach.ts';

const START_MS = Date.UTC(2026, 10, 2);
const CRUISE_M = 10_000;

let reach: UsualReach;
let comparison: StationComparison;
let minute: number;
beforeEach(() => {
  reach = UsualReach.inMemory();
  comparison = new StationComparison(reach);
  minute = 0;
});

interface Reception {
  /** Positions a minute. */
  readonly positions: number;
  readonly aircraft?: number;
  readonly east?: number;
  readonly layer?: 'adsb' | 'rid';
  readonly origin?: 'broadcast' | 'mlat';
  /** It is polled, and repeats its last position. */
  readonly repeats?: boolean;
}

/** A minute, on the clock and at each station; those that are `undefined` do not receive. */
function pass(stations: Readonly<Record<string, Reception | undefined>>, atMs = START_MS + minute * MINUTE_MS): void {
  minute += 1;
  for (const [id, each] of Object.entries(stations)) {
    const { positions = 0, aircraft = 4, east = 0, layer = 'adsb', origin = 'broadcast', repeats } = each ?? {};
    for (let index = 0; index < aircraft * positions; index += 1) {
      const lon = 8.1 + east + (repeats ? 0 : (minute % 2) / 1000 + index / 1e5);
      const trackKey = `${layer} ${east} ${index % aircraft}` as TrackKey;
      comparison.note(id, [{ layer, trackKey, lon, lat: 47.1, altitudeM: CRUISE_M, origin }]);
    }
  }
  const receives = Object.entries(stations).map(([id, each]) => ({ id, receivesSinceMs: each && 0 }));
  comparison.moveTo(minute * MINUTE_MS, atMs, receives);
}

/** Forty minutes on each of so many days. */
function days(count: number, stations: Readonly<Record<string, Reception | undefined>>): void {
  const first = Math.ceil((minute * MINUTE_MS) / DAY_MS);
  for (let day = first; day < first + count; day += 1) {
    minute = (day * DAY_MS) / MINUTE_MS;
    comparison.moveTo(minute * MINUTE_MS, START_MS + day * DAY_MS, []);
    for (let each = 0; each < 40; each += 1) pass(stations);
  }
}

/** The counts of a station in a minute. */
function during(id: string, stations: Readonly<Record<string, Reception | undefined>>): Readonly<AircraftHour> {
  const before = comparison.totalsOf(id);
  pass(stations);
  const after = comparison.totalsOf(id);
  return {
    tracks: after.tracks - before.tracks,
    expected: after.expected - before.expected,
    received: after.received - before.received,
    own: after.own - before.own,
    elsewhere: after.elsewhere - before.elsewhere,
  };
}

const WELL = { positions: 10 };

describe('what a station should hear', () => {
  test('is known after three days, from its own usual, whatever its neighbour hears', () => {
    days(2, { roof: WELL, hill: WELL });
    expect(during('roof', { roof: WELL, hill: WELL })).toMatchObject({ expected: 0, received: 0, elsewhere: 0 });
    days(2, { roof: WELL, hill: WELL });
    for (const hill of [{ positions: 1 }, WELL, { positions: 60 }]) {
      const { expected, received } = during('roof', { roof: { positions: 3 }, hill });
      expect([Math.round(expected), received]).toEqual([40, 12]);
    }
  });

  test('is nothing without a neighbour that hears the aircraft, beyond its reach, and while it is lost', () => {
    days(4, { roof: WELL, hill: WELL, far: { ...WELL, east: 5, aircraft: 9 } });
    const nothing = { tracks: 0, expected: 0, received: 0 };
    expect(during('roof', { roof: WELL, hill: undefined })).toMatchObject({ ...nothing, own: 40 });
    expect(during('roof', { roof: WELL, far: { ...WELL, east: 5 } })).toMatchObject(nothing);
    expect(during('roof', { roof: undefined, hill: WELL })).toMatchObject({ ...nothing, own: 0 });
    expect(during('roof', { roof: { positions: 0 }, hill: WELL })).toMatchObject({ received: 0, expected: 40 });
  });

  test('comes from aircraft that send their place: not from drones, and not from measured positions', () => {
    days(4, { roof: WELL, hill: WELL });
    for (const hill of [
      { ...WELL, layer: 'rid' },
      { ...WELL, origin: 'mlat' },
    ] as const)
      expect(during('roof', { roof: { positions: 1 }, hill }).expected).toBe(0);
    expect(during('roof', { roof: { ...WELL, layer: 'rid' }, hill: undefined })).toMatchObject({ own: 0 });
  });

  test('does not count the repeated answers of a polled station', () => {
    pass({});
    expect(during('roof', { roof: { ...WELL, aircraft: 1, repeats: true } }).own).toBe(1);
  });
});

test('a station that was moved hears elsewhere, and its new reach is learnt once the old one is forgotten', () => {
  days(4, { roof: WELL, hill: WELL });
  const moved = { ...WELL, east: 3 };
  expect(during('roof', { roof: moved })).toMatchObject({ own: 40, elsewhere: 40 });
  reach.forget('roof', START_MS + Math.floor((minute * MINUTE_MS) / DAY_MS) * DAY_MS);
  expect(during('roof', { roof: WELL, hill: WELL })).toMatchObject({ expected: 0, elsewhere: 0 });
  days(4, { roof: moved, hill: moved });
  expect(during('roof', { roof: moved, hill: moved })).toMatchObject({ received: 40, elsewhere: 0 });
  expect(during('roof', { roof: { positions: 0 }, hill: { ...WELL, aircraft: 7 } }).expected).toBe(0);
});

test('the usual reach is the same after a restart, also the part that was forgotten', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'usual-reach-'));
  const open = () =>
    UsualReach.open(folder, (entry) => {
      throw new Error(entry);
    });
  try {
    reach = await open();
    comparison = new StationComparison(reach);
    days(5, { roof: WELL, hill: WELL, hut: WELL });
    reach.forget('hut', START_MS + 4 * DAY_MS);
    await reach.flush();
    const again = await open();
    for (const each of [reach, again]) {
      each.moveTo(START_MS + 5 * DAY_MS);
      const cell = 2 * (Math.floor((47.1 + 90) * 4) * 1440 + Math.floor((8.1 + 180) * 4)) + 1;
      expect(each.usualPositions('roof', cell)).toBeCloseTo(10, 5);
      expect(each.usualPositions('hut', cell)).toBeUndefined();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
