import { destination } from '#lib/geo/great-circle.ts';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { Observation } from '../../sources/observation.ts';
import type { Fix, Parsed, TrackKey } from '../fix.ts';
import type { FeedTraits } from './fused-feed.ts';
import { type Fusion, makeFusion } from './fusion.ts';

export const START_MS = Date.UTC(2026, 10, 23, 12);
export const WORLD = { west: -180, south: -90, east: 180, north: 90 };
const KEY = 'a'.repeat(32) as TrackKey;

export function keyOf(index: number): TrackKey {
  return index.toString(16).padStart(32, '0') as TrackKey;
}

export function feedOf(id: string, change: Partial<FeedTraits> = {}): FeedTraits {
  return { id, aggregates: false, simulated: false, ...change };
}

export function fixOf(change: Partial<Fix> = {}): Fix {
  return {
    layer: 'adsb',
    trackKey: KEY,
    feedTimeMs: undefined,
    trackTimeMs: undefined,
    lon: 8.5,
    lat: 47.4,
    altitudeM: 3000,
    heightAglM: null,
    speedMps: 200,
    headingDeg: 90,
    onGround: false,
    origin: 'broadcast',
    accuracyM: 150,
    emergencyState: 'none',
    testBroadcast: false,
    ...change,
  };
}

/** Flies east at 200 m/s from `fixOf()`. */
export function alongMs(ms: number): { readonly lon: number; readonly lat: number } {
  return destination({ lon: 8.5, lat: 47.4 }, 90, ms / 5);
}

export const msOf = ({ observedAt }: Observation) => epochMs(observedAt) - START_MS;
export const timesOf = (observations: readonly Observation[]) => observations.map(msOf);
export const offM = (ms: number, lengthM: number) => destination(alongMs(ms), 45, lengthM);
export const isAt = ({ lon, lat }: Observation, place: { lon: number; lat: number }) =>
  Math.abs(lon - place.lon) < 1e-9 && Math.abs(lat - place.lat) < 1e-9;

export function parsedOf(fixes: readonly Fix[], feedClockMs?: number): Parsed {
  return { fixes, refused: [], feedClockMs };
}

export function at(ms: number): UpstreamInstant {
  return upstreamInstant(START_MS + ms);
}

export class Picture {
  readonly fusion: Fusion;
  readonly past: Observation[] = [];

  constructor(tracksPerFeed?: number) {
    this.fusion = tracksPerFeed === undefined ? makeFusion() : makeFusion({ tracksPerFeed });
  }

  receive(feed: FeedTraits, ms: number, change: Partial<Fix> = {}): void {
    const feedTimeMs = START_MS + ms;
    this.fusion.add(feed, parsedOf([fixOf({ feedTimeMs, ...alongMs(ms), ...change })]), at(ms));
  }

  settle(ms: number): Observation[] {
    const settled = this.fusion.settle(at(ms));
    this.past.push(...settled);
    return settled;
  }

  live(ms: number): Observation[] {
    return [...this.fusion.live('adsb', WORLD, at(ms)), ...this.fusion.live('rid', WORLD, at(ms))];
  }
}
