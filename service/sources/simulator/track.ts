import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { minDistanceM } from '#lib/geo/min-distance.ts';
import { seededKey, seededUnit } from '#lib/random/seeded-random.ts';
import { CHANCE, type Range, within } from './chance.ts';

/** Where an aircraft or drone is, and how it moves. */
export interface Motion extends LonLat {
  readonly altitudeM: number;
  /** Null where the elevation of the ground is not known. */
  readonly heightAglM: number | null;
  readonly speedMps: number;
  /** Clockwise from north, possibly 360 or more. */
  readonly headingDeg: number;
}

/** How well a track is received. */
export interface Coverage {
  readonly periodMs: Range;
  /** Share of single messages that are lost. */
  readonly lostShare: number;
  /** Share of cycles that end with a gap, and its length. */
  readonly gapShare: number;
  readonly gapMs: Range;
  /** Share of time in which several stations receive it, and of flights that are received from orbit. */
  readonly severalShare: number;
  readonly orbitShare: number;
}

/**
 * An endless sequence of flights, all equally long. Flight n has slot n of equal slots, so the flight at any instant is
 * found without computing another.
 */
export interface Track {
  readonly layer: Layer;
  readonly index: number;
  readonly key: number;
  readonly coverage: Coverage;
  /** Every position lies within this distance of the centre. */
  readonly centre: LonLat;
  readonly reachM: number;
  readonly movingMs: number;
  /** It is received at rest this long before and after it moves. */
  readonly restingMs: number;
  /** @param movingMs 0 to `movingMs` of the track */
  motion(flight: Flight, movingMs: number): Motion;
}

export interface Flight {
  readonly track: Track;
  readonly number: number;
  /** The seed of everything random about this flight. */
  readonly key: number;
  readonly periodMs: number;
  /** Milliseconds since 1970; half-open. */
  readonly startMs: number;
  readonly endMs: number;
}

/** No received position is further from the true one. */
export const POSITION_ERROR_MAX_M = 20;
/** Silence between two flights. */
const SILENT_MS = 75_000;

/** Those that may be received in the box. */
export function tracksNear(tracks: readonly Track[], bbox: Bbox): Track[] {
  return tracks.filter(({ centre, reachM }) => minDistanceM(bbox, centre) <= reachM + POSITION_ERROR_MAX_M);
}

/** The flights that overlap the half-open span, in ms since 1970. */
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

/** @param elapsedMs since the start of the flight */
export function motionAt(flight: Flight, elapsedMs: number): Motion {
  const { movingMs, restingMs } = flight.track;
  return flight.track.motion(flight, Math.max(0, Math.min(movingMs, elapsedMs - restingMs)));
}
