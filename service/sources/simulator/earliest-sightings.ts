import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { minDistanceM } from '#lib/geo/min-distance.ts';
import { epochMs } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { firstTickFrom, isReceived, tickMs } from './reception.ts';
import { type Sighting, sightedAtMs, sightingAt } from './sighting.ts';
import { type Flight, flightsWithin, motionAt, POSITION_ERROR_MAX_M, type Track, tracksNear } from './track.ts';

const FASTEST_MPS = 260;

interface Cursor {
  readonly flight: Flight;
  tick: number;
  /** Since 1970. */
  atMs: number;
}

/** By time, then in the order of the tracks. */
export function earliestSightings(tracks: readonly Track[], bbox: Bbox, window: Window, maxCount: number): Sighting[] {
  const [startMs, endMs] = [epochMs(window.start), epochMs(window.end)];
  const cursors: Cursor[] = [];
  for (const track of tracksNear(tracks, bbox)) {
    for (const flight of flightsWithin(track, startMs, endMs)) {
      const elapsedMs = Math.max(0, startMs - flight.startMs);
      const cursor = { flight, tick: 0, atMs: 0 };
      moveTo(cursor, elapsedMs + minAwayMs(bbox, motionAt(flight, elapsedMs)));
      cursors.push(cursor);
    }
  }
  // An overfull window costs in proportion to `maxCount`.
  const found: Sighting[] = [];
  let sliceEndMs = startMs;
  for (let sliceMs = SECOND_MS; sliceEndMs < endMs && found.length < maxCount; sliceMs *= 2) {
    sliceEndMs = Math.min(endMs, sliceEndMs + Math.min(sliceMs, MINUTE_MS));
    const slice: Sighting[] = [];
    for (const cursor of cursors) readUntil(sliceEndMs, cursor, bbox, slice);
    slice.sort((a, b) => sightedAtMs(a) - sightedAtMs(b));
    for (const sighting of slice) found.push(sighting);
  }
  return found.slice(0, maxCount);
}

/** @param endMs since 1970, exclusive */
function readUntil(endMs: number, cursor: Cursor, bbox: Bbox, found: Sighting[]): void {
  const { flight } = cursor;
  const untilMs = Math.min(endMs, flight.endMs);
  while (cursor.atMs < untilMs) {
    const elapsedMs = cursor.atMs - flight.startMs;
    let awayMs = 0;
    if (isReceived(flight, cursor.tick)) {
      const sighting = sightingAt(flight, cursor.tick);
      if (bboxContains(bbox, sighting.lon, sighting.lat)) found.push(sighting);
      else awayMs = minAwayMs(bbox, sighting);
    }
    moveTo(cursor, elapsedMs + Math.max(1, awayMs));
  }
}

function moveTo(cursor: Cursor, elapsedMs: number): void {
  cursor.tick = firstTickFrom(cursor.flight, elapsedMs);
  cursor.atMs = cursor.flight.startMs + tickMs(cursor.flight, cursor.tick);
}

function minAwayMs(bbox: Bbox, point: LonLat): number {
  return (Math.max(0, minDistanceM(bbox, point) - POSITION_ERROR_MAX_M) / FASTEST_MPS) * 1000;
}
