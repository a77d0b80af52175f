import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { minDistanceM } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { seededKey, seededUnit } from '#lib/random/seeded-random.ts';

export interface Motion extends LonLat {
  readonly altitudeM: number;
  /** Null where the elevation of the ground is not known. */
  readonly heightAglM: number | null;
  readonly speedMps: number;
  /** Clockwise from north, possibly 360 or more. */
  readonly headingDeg: number;
}

export interface Coverage {
  readonly periodMs: Range;
  readonly lostShare: number;
  /** The share of cycles that end with a gap in reception. */
  readonly gapShare: number;
  readonly gapMs: Range;
  /** The share of time with several stations, and of flights that are received from orbit. */
  readonly severalShare: number;
  readonly orbitShare: number;
}

/**
 * A simulated aircraft or drone, whose flights follow each other for ever. They have equal lengths: flight n has slot
 * n, so any instant's flight is found directly.
 */
export interface SimulatedTrack {
  readonly layer: Layer;
  readonly index: number;
  readonly key: number;
  readonly coverage: Coverage;
  /** All its positions are within `reachM` of this. */
  readonly centre: LonLat;
  readonly reachM: number;
  readonly movingMs: number;
  /** Before and after it moves, it is received at rest for so long. */
  readonly restingMs: number;
  /** @param movingMs 0 to `movingMs` of the track */
  motion(flight: Flight, movingMs: number): Motion;
}

export interface Flight {
  readonly track: SimulatedTrack;
  readonly number: number;
  readonly key: number;
  readonly periodMs: number;
  /** ms since 1970; half-open. */
  readonly startMs: number;
  readonly endMs: number;
}

/** The limit exceeds the error of any received position. */
export const POSITION_ERROR_MAX_M = 20;
/** Between two flights, nothing is received for so long. */
const SILENT_MS = 75_000;

export function tracksNear(tracks: readonly SimulatedTrack[], bbox: Bbox): SimulatedTrack[] {
  return tracks.filter(({ centre, reachM }) => minDistanceM(bbox, centre) <= reachM + POSITION_ERROR_MAX_M);
}

/** The flights of a half-open window, in ms since 1970. */
export function flightsWithin(track: SimulatedTrack, startMs: number, endMs: number): Flight[] {
  const flightMs = track.movingMs + 2 * track.restingMs;
  const slotMs = flightMs + SILENT_MS;
  const phaseMs = slotMs * seededUnit(track.key, CHANCE.phase);
  const flights: Flight[] = [];
  for (let number = Math.floor((startMs - phaseMs) / slotMs); ; number++) {
    const flightStartMs = Math.ceil(phaseMs + number * slotMs);
    if (flightStartMs >= endMs) return flights;
    const flightEndMs = flightStartMs + Math.floor(flightMs);
    if (flightEndMs <= startMs) continue;
    const key = seededKey(track.key, CHANCE.flight, number);
    const periodMs = within(track.coverage.periodMs, seededUnit(key, CHANCE.period));
    flights.push({ track, number, key, periodMs, startMs: flightStartMs, endMs: flightEndMs });
  }
}

export function motionAt(flight: Flight, elapsedMs: number): Motion {
  const { movingMs, restingMs } = flight.track;
  return flight.track.motion(flight, Math.max(0, Math.min(movingMs, elapsedMs - restingMs)));
}

/** The uses of the seed, which are independent of each other. */
export const CHANCE = {
  aircraft: 1,
  drone: 2,
  flight: 3,
  phase: 4,
  standDistance: 5,
  standBearing: 6,
  shape: 7,
  speed: 8,
  level: 9,
  stopEast: 10,
  stopNorth: 11,
  stopHeight: 12,
  period: 13,
  late: 14,
  lost: 15,
  gap: 16,
  gapLength: 17,
  noiseEast: 18,
  noiseNorth: 19,
  unreported: 20,
  emergency: 21,
  emergencyStart: 22,
  emergencyState: 23,
  label: 24,
  receivers: 25,
  score: 26,
  orbit: 27,
} as const;

export type Range = readonly [low: number, high: number];

/** @param unit 0 to 1 */
export function within([low, high]: Range, unit: number): number {
  return low + (high - low) * unit;
}
