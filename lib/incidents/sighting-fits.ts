import { bearingDeg, distanceM, EARTH_RADIUS_M, type LonLat } from '#lib/geo/great-circle.ts';
import { nearestCopy, shorterWayDeg, wrapLongitude } from '#lib/geo/longitude.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import { trailJoin } from '#lib/picture/trail-joins.ts';
import { epochMs } from '#lib/time/instant.ts';

// Compares a sighting, a report by a person, with received tracks: which of them were near its line of sight at its time.
// A track fits or does not fit. Positions cannot show whether it was what the person saw.

/** Angles are in degrees, bearings clockwise from true north, elevations above the horizon. Each error is ±. */
export interface Sighting {
  readonly atMs: number;
  readonly atWithinMs: number;
  readonly place: LonLat;
  readonly bearingDeg: number;
  readonly bearingWithinDeg: number;
  readonly elevationDeg: number | undefined;
  readonly elevationWithinDeg: number | undefined;
  readonly distanceM: number | undefined;
  readonly distanceWithinM: number | undefined;
}

/** Positions of one track in the order of their time. */
export interface SightedTrack {
  readonly ref: string;
  readonly layer: Layer;
  readonly positions: readonly Position[];
}

/** Where a track was nearest to the line of sight, within the times of the sighting. */
export interface Sight {
  readonly track: SightedTrack;
  readonly atMs: number;
  readonly bearingDeg: number;
  /** From the reported bearing, unsigned. */
  readonly offDeg: number;
  readonly distanceM: number;
  /**
   * As possible only: over level ground, by the height above ground or else the altitude, whose datum is not stated;
   * `undefined` without either.
   */
  readonly elevationDeg: number | undefined;
}

export interface SightingFits {
  /** The best first. */
  readonly fits: readonly Sight[];
  /** The least misfit of the others, counted in their stated errors. */
  readonly nearestMiss: Sight | undefined;
}

/** Between two positions that a trail joins, a track is taken to be on the line between them. */
export function fitsOf(sighting: Sighting, tracks: readonly SightedTrack[]): SightingFits {
  const sights = tracks.flatMap((track) => nearestSight(sighting, track) ?? []);
  const misfits = new Map(sights.map((sight) => [sight, misfitOf(sighting, sight)]));
  const fits = sights.filter((sight) => misfits.get(sight) === 0);
  const others = sights.filter((sight) => misfits.get(sight) !== 0);
  return {
    fits: fits.sort((one, next) => rankOf(sighting, one) - rankOf(sighting, next)),
    nearestMiss: others.sort((one, next) => (misfits.get(one) ?? 0) - (misfits.get(next) ?? 0))[0],
  };
}

interface Moment {
  readonly atMs: number;
  readonly at: LonLat;
  readonly heightM: number | undefined;
}

function nearestSight(sighting: Sighting, track: SightedTrack): Sight | undefined {
  let best: Sight | undefined;
  for (const moment of nearestMoments(sighting, track)) {
    const bearing = bearingDeg(sighting.place, moment.at);
    const distance = distanceM(sighting.place, moment.at);
    const sight: Sight = {
      track,
      atMs: moment.atMs,
      bearingDeg: bearing,
      offDeg: Math.abs(shorterWayDeg(sighting.bearingDeg, bearing)),
      distanceM: distance,
      elevationDeg: moment.heightM === undefined ? undefined : elevationDeg(moment.heightM, distance),
    };
    if (!best || isNearer(sighting, sight, best)) best = sight;
  }
  return best;
}

/** Of two moments on the line of sight, that nearer to the reported time. */
function isNearer({ atMs }: Sighting, one: Sight, other: Sight): boolean {
  const byOff = one.offDeg - other.offDeg;
  if (Math.abs(byOff) > 1e-9) return byOff < 0;
  return Math.abs(one.atMs - atMs) < Math.abs(other.atMs - atMs);
}

/** On each stretch of the track, the moment with the least angle to the line of sight. */
function* nearestMoments(sighting: Sighting, { positions }: SightedTrack): Generator<Moment> {
  const [fromMs, toMs] = [sighting.atMs - sighting.atWithinMs, sighting.atMs + sighting.atWithinMs];
  let before: Position | undefined;
  for (const position of positions) {
    const atMs = epochMs(position.observedAt);
    if (before && atMs >= fromMs && epochMs(before.observedAt) <= toMs) yield* onStretch(sighting, before, position);
    else if (!before && atMs >= fromMs && atMs <= toMs) yield momentOf(position);
    if (atMs > toMs) return;
    before = position;
  }
}

function* onStretch(sighting: Sighting, from: Position, to: Position): Generator<Moment> {
  const [fromMs, toMs] = [sighting.atMs - sighting.atWithinMs, sighting.atMs + sighting.atWithinMs];
  const [beganMs, endedMs] = [epochMs(from.observedAt), epochMs(to.observedAt)];
  if (trailJoin(from.kind, endedMs - beganMs) === 'none' || endedMs === beganMs) {
    for (const [position, atMs] of [
      [from, beganMs],
      [to, endedMs],
    ] as const) {
      if (atMs >= fromMs && atMs <= toMs) yield momentOf(position);
    }
    return;
  }
  const first = Math.max(0, (fromMs - beganMs) / (endedMs - beganMs));
  const last = Math.min(1, (toMs - beganMs) / (endedMs - beganMs));
  const nearest = Math.min(last, Math.max(first, shareNearestTo(sighting.place, from, to)));
  // Seen from a place, each half of a line up to its nearest point turns one way, by a quarter at most.
  yield between(from, to, shareOnBearing(sighting, from, to, first, nearest));
  yield between(from, to, shareOnBearing(sighting, from, to, nearest, last));
}

/** The share of a stretch at which its bearing is nearest to the reported one. */
function shareOnBearing(sighting: Sighting, from: Position, to: Position, first: number, last: number): number {
  const offAt = (share: number) =>
    shorterWayDeg(sighting.bearingDeg, bearingDeg(sighting.place, between(from, to, share).at));
  let [low, high] = [first, last];
  const [lowOff, highOff] = [offAt(low), offAt(high)];
  const isCrossed = lowOff < 0 !== highOff < 0 && Math.abs(highOff - lowOff) < 180;
  if (!isCrossed) return Math.abs(lowOff) <= Math.abs(highOff) ? low : high;
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2;
    if (offAt(middle) < 0 === lowOff < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Halves a stretch of minutes to microseconds. */
const BISECTIONS = 40;

/** On a plane, which is exact enough for the length of a stretch. */
function shareNearestTo(place: LonLat, from: LonLat, to: LonLat): number {
  const east = Math.cos((place.lat * Math.PI) / 180);
  const [ax, ay] = [shorterWayDeg(place.lon, from.lon) * east, from.lat - place.lat];
  const [bx, by] = [shorterWayDeg(place.lon, to.lon) * east, to.lat - place.lat];
  const lengthSquared = (bx - ax) ** 2 + (by - ay) ** 2;
  return lengthSquared === 0 ? 0 : -(ax * (bx - ax) + ay * (by - ay)) / lengthSquared;
}

function between(from: Position, to: Position, share: number): Moment {
  const toLon = nearestCopy(to.lon, from.lon);
  const [fromMs, toMs] = [epochMs(from.observedAt), epochMs(to.observedAt)];
  const [fromM, toM] = [heightOf(from), heightOf(to)];
  return {
    atMs: fromMs + share * (toMs - fromMs),
    at: { lon: wrapLongitude(from.lon + share * (toLon - from.lon)), lat: from.lat + share * (to.lat - from.lat) },
    heightM: fromM === undefined || toM === undefined ? (share < 0.5 ? fromM : toM) : fromM + share * (toM - fromM),
  };
}

function momentOf(position: Position): Moment {
  return { atMs: epochMs(position.observedAt), at: position, heightM: heightOf(position) };
}

function heightOf({ heightAglM, altitudeM }: Position): number | undefined {
  return heightAglM ?? altitudeM;
}

/** The Earth curves away below the line of sight. */
function elevationDeg(heightM: number, distance: number): number {
  return (Math.atan2(heightM - distance ** 2 / (2 * EARTH_RADIUS_M), Math.max(distance, 1)) * 180) / Math.PI;
}

/** How far beyond the stated errors, counted in them; 0 fits. Heights never exclude a track. */
function misfitOf({ bearingWithinDeg, distanceM: reportedM, distanceWithinM }: Sighting, sight: Sight): number {
  const bearing = beyond(sight.offDeg, bearingWithinDeg);
  if (reportedM === undefined || distanceWithinM === undefined) return bearing;
  return bearing + beyond(Math.abs(sight.distanceM - reportedM), distanceWithinM);
}

function beyond(off: number, within: number): number {
  return Math.max(0, off - within) / Math.max(within, 1e-3);
}

/**
 * Of what fits, a nearer track comes first, for its light falls with the square of the distance; a stated elevation counts
 * in its error. Lower is better.
 */
function rankOf({ elevationDeg: reportedDeg, elevationWithinDeg = 0 }: Sighting, sight: Sight): number {
  const nearness = 2 * Math.log(Math.max(sight.distanceM, 1));
  if (reportedDeg === undefined || sight.elevationDeg === undefined) return nearness;
  return nearness + ((sight.elevationDeg - reportedDeg) / Math.max(elevationWithinDeg, 1)) ** 2;
}
