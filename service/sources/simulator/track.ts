import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { minDistanceM } from '#lib/geo/min-distance.ts';
import { seededKey, seededUnit } from '#lib/random/seeded-random.ts';
import { CHANCE, type Range, within } from './chance.ts';

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
  /** Of cycles that end with a gap. */
  readonly gapShare: number;
  readonly gapMs: Range;
  /** Of time with several stations, and of flights received from orbit. */
  readonly severalShare: number;
  readonly orbitShare: number;
}

/** Flights have equal lengths: flight n has slot n, so any instant's flight is found directly. */
export interface Track {
  readonly layer: Layer;
  readonly index: number;
  readonly key: number;
  readonly coverage: Coverage;
  /** Maximum distance of its positions. */
  readonly centre: LonLat;
  readonly reachM: number;
  readonly movingMs: number;
  /** Received at rest, before and after it moves. */
  readonly restingMs: number;
  /** @param movingMs 0 to `movingMs` of the track */
  motion(flight: Flight, movingMs: number): Motion;
}

export interface Flight {
  readonly track: Track;
  readonly number: number;
  readonly key: number;
  readonly periodMs: number;
  /** Since 1970; half-open. */
  readonly startMs: number;
  readonly endMs: number;
}

/** Exceeds the error of any received position. */
export const POSITION_ERROR_MAX_M = 20;
/** Between two flights. */
const SILENT_MS = 75_000;

export function tracksNear(tracks: readonly Track[], bbox: Bbox): Track[] {
  return tracks.filter(({ centre, reachM }) => minDistanceM(bbox, centre) <= reachM + POSITION_ERROR_MAX_M);
}

/** Half-open, in ms since 1970. */
export function flightsWithin(track: Track, startMs: number, endMs: number): Flight[] {
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
