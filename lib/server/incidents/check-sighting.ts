import 'server-only';
import { ApiError, isApiError } from '#lib/api/error-code.ts';
import { type PastReason, REASON_OF_RECEPTION } from '#lib/api/layer-reason.ts';
import {
  FITS_MAX,
  type SightAnswer,
  type SightingBody,
  type SightingCheck,
  type SkyBody,
} from '#lib/api/watching/sightings.ts';
import { type Bbox, splitAtAntimeridian } from '#lib/geo/bbox.ts';
import { destination, type LonLat } from '#lib/geo/great-circle.ts';
import { grownBox } from '#lib/geo/grown-box.ts';
import { shorterWayDeg, wrapBearing, wrapEastEdge } from '#lib/geo/longitude.ts';
import { mergedUnwatched, type Unwatched } from '#lib/incidents/inside.ts';
import { fitsOf, type Sight, type SightedTrack, type Sighting } from '#lib/incidents/sighting-fits.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { TRAIL_LIMITS } from '#lib/picture/trail-joins.ts';
import { addMs, compareInstants, epochMs, instantOf, isoTime, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import type { Observation } from '#lib/zones/evaluation/transition.ts';
import type { ZoneShape } from '#lib/zones/zone.ts';
import { loadableWindow } from '../history/history-area.ts';
import { type ReadPast, type ReadPastOptions, readPast } from '../history/read-past.ts';
import { bodiesInSky } from './sky.ts';

/** An airliner at 11 km is 6° above the horizon there: few people report one that is lower. */
const RANGE_M = 100_000;
const POSITIONS_MAX = 200_000;
/** A position so far from the sighting's times may be one end of a line over them. */
const JOIN_MS = Math.max(...Object.values(TRAIL_LIMITS).map(({ dottedMs }) => dottedMs));

export interface CheckOptions extends Pick<ReadPastOptions, 'load' | 'signal'> {
  /** Aborting it ends the check. */
  readonly left: AbortSignal;
  readonly now: UpstreamInstant;
}

/**
 * Compares a sighting with what was received, and says what was not watched.
 * @throws ApiError for a sighting in the future, or a load that is refused
 */
export async function compareSighting(
  body: SightingBody,
  { load, signal, left, now }: CheckOptions,
): Promise<SightingCheck> {
  const sighting = sightingOf(body);
  if (body.at > now) throw new ApiError('bad_body', 'The time is in the future: write when it was seen.');
  const until = addMs(body.at, sighting.atWithinMs + 1);
  const times: Window = { start: addMs(body.at, -sighting.atWithinMs), end: until < now ? until : now };
  const rangeM = rangeOf(sighting);
  const window = { start: addMs(times.start, -JOIN_MS), end: addMs(times.end, JOIN_MS) };
  const past = await readPast({
    boxes: coneBoxes(sighting, rangeM).flatMap((bbox) => LAYERS.map((layer) => ({ layer, bbox }))),
    window,
    maxRequests: body.max_requests,
    maxPositions: POSITIONS_MAX,
    load,
    signal,
  });
  left.throwIfAborted();
  if (past.refusal && past.refusal.code !== 'outside_lookback') throw past.refusal;
  // The load did not end: any time may be missing.
  const cutShort = signal.aborted
    ? 'service_timeout'
    : past.observations.length > POSITIONS_MAX
      ? 'not_requested'
      : past.refusal?.code;
  const { fits, nearestMiss } = fitsOf(sighting, tracksOf(past.observations));
  return {
    fits: fits.slice(0, FITS_MAX).map(sightAnswer),
    fits_count: fits.length,
    nearest_miss: nearestMiss ? sightAnswer(nearestMiss) : null,
    sky: skyIn(sighting),
    not_watched: notWatched(past, times, loadedUntil(window, now), cutShort),
    range_m: rangeM,
    requests: past.requests,
  };
}

function sightingOf(body: SightingBody): Sighting {
  const { elevation_deg, elevation_within_deg, distance_m, distance_within_m } = body;
  if ((elevation_deg === null) !== (elevation_within_deg === null))
    throw new ApiError('bad_body', 'elevation_deg and elevation_within_deg belong together: write both, or neither.');
  if ((distance_m === null) !== (distance_within_m === null))
    throw new ApiError('bad_body', 'distance_m and distance_within_m belong together: write both, or neither.');
  return {
    atMs: epochMs(body.at),
    atWithinMs: body.at_within_s * SECOND_MS,
    place: { lon: body.place[0], lat: body.place[1] },
    bearingDeg: wrapBearing(body.bearing_deg),
    bearingWithinDeg: body.bearing_within_deg,
    elevationDeg: elevation_deg ?? undefined,
    elevationWithinDeg: elevation_within_deg ?? undefined,
    distanceM: distance_m ?? undefined,
    distanceWithinM: distance_within_m ?? undefined,
  };
}

function rangeOf({ distanceM, distanceWithinM = 0 }: Sighting): number {
  return distanceM === undefined ? RANGE_M : Math.min(RANGE_M, distanceM + distanceWithinM);
}

/** The side of the arc of a cone, in degrees. */
const ARC_DEG = 10;

/** The area of the direction. */
export function coneOf(body: SightingBody): ZoneShape {
  const sighting = sightingOf(body);
  const { place, bearingDeg } = sighting;
  // A line has no area.
  const within = Math.max(1, sighting.bearingWithinDeg);
  const sides = Math.ceil((2 * within) / ARC_DEG);
  const arc = Array.from({ length: sides + 1 }, (_, side) => {
    const bearing = wrapBearing(bearingDeg - within + (2 * within * side) / sides);
    return destination(place, bearing, rangeOf(sighting));
  });
  const ring = [place, ...arc, place].map(({ lon, lat }): [number, number] => [lon, lat]);
  return { type: 'Polygon', coordinates: [ring] };
}

/** A fast track moves so far between two positions: one may be outside of the cone. */
const MARGIN_M = 10_000;

/** The boxes around the cone, of which none crosses 180°. */
function coneBoxes({ place, bearingDeg, bearingWithinDeg }: Sighting, rangeM: number): readonly Bbox[] {
  const directions = [bearingDeg - bearingWithinDeg, bearingDeg, bearingDeg + bearingWithinDeg];
  for (const quarter of [0, 90, 180, 270]) {
    if (Math.abs(shorterWayDeg(bearingDeg, quarter)) < bearingWithinDeg) directions.push(quarter);
  }
  const corners: readonly LonLat[] = [place, ...directions.map((deg) => destination(place, wrapBearing(deg), rangeM))];
  const ways = corners.map(({ lon }) => shorterWayDeg(place.lon, lon));
  const lats = corners.map(({ lat }) => lat);
  const cone: Bbox = {
    west: place.lon + Math.min(...ways),
    south: Math.min(...lats),
    east: place.lon + Math.max(...ways),
    north: Math.max(...lats),
  };
  const { west, south, east, north } = grownBox(cone, MARGIN_M);
  return splitAtAntimeridian({ west, south, east: wrapEastEdge(east), north });
}

function tracksOf(observations: readonly Observation[]): readonly SightedTrack[] {
  return [...Map.groupBy(observations, ({ layer, position }) => `${layer} ${position.ref}`).values()].map((its) => {
    const [{ layer, position }] = its as [Observation];
    const positions = its.map((each) => each.position);
    return {
      ref: position.ref,
      layer,
      positions: positions.sort((a, b) => compareInstants(a.observedAt, b.observedAt)),
    };
  });
}

function skyIn({ place, atMs, bearingDeg, bearingWithinDeg, ...sighting }: Sighting): SkyBody[] {
  const { elevationDeg, elevationWithinDeg = 0 } = sighting;
  return bodiesInSky(place, atMs)
    .map(({ body, azimuth_deg, altitude_deg }) => ({
      body,
      azimuth_deg: rounded(azimuth_deg, 2),
      altitude_deg: rounded(altitude_deg, 2),
      off_deg: rounded(Math.abs(shorterWayDeg(bearingDeg, azimuth_deg)), 2),
    }))
    .filter(
      ({ off_deg, altitude_deg }) =>
        off_deg <= bearingWithinDeg &&
        (elevationDeg === undefined || Math.abs(altitude_deg - elevationDeg) <= elevationWithinDeg),
    );
}

function loadedUntil(window: Window, now: UpstreamInstant): UpstreamInstant {
  try {
    return loadableWindow(window, now).end;
  } catch (error) {
    if (isApiError(error)) return now;
    throw error;
  }
}

/** Within the sighting's own times. */
function notWatched(
  { gaps, impaired }: ReadPast,
  times: Window,
  readUntil: UpstreamInstant,
  cutShort: string | undefined,
): SightingCheck['not_watched'] {
  const missing: (Unwatched & { readonly layer: Layer })[] = [
    ...gaps.map(({ layer, start, end, reason }) => ({
      layer,
      fromMs: epochMs(instantOf(start)),
      toMs: epochMs(instantOf(end)),
      reason,
    })),
    ...impaired.flatMap(({ layer, from, to, state }) => {
      const reason = REASON_OF_RECEPTION[state];
      return reason ? [{ layer, fromMs: epochMs(from), toMs: epochMs(to), reason }] : [];
    }),
  ];
  const [startMs, endMs, untilMs] = [epochMs(times.start), epochMs(times.end), epochMs(readUntil)];
  for (const layer of LAYERS) {
    // The last seconds are in no history yet.
    missing.push({ layer, fromMs: untilMs, toMs: endMs, reason: 'not_requested' });
    if (cutShort !== undefined) missing.push({ layer, fromMs: startMs, toMs: endMs, reason: cutShort });
  }
  return LAYERS.flatMap((layer) =>
    mergedUnwatched(
      missing.filter((each) => each.layer === layer),
      startMs,
      endMs,
    ).map(({ fromMs, toMs, reason }) => ({
      from: isoTime(fromMs),
      to: isoTime(toMs),
      layer,
      reason: reason as PastReason,
    })),
  );
}

function sightAnswer({ track, atMs, bearingDeg, offDeg, distanceM, elevationDeg }: Sight): SightAnswer {
  return {
    track: track.ref,
    layer: track.layer,
    at: isoTime(Math.round(atMs)),
    bearing_deg: rounded(bearingDeg, 2),
    off_deg: rounded(offDeg, 2),
    distance_m: Math.round(distanceM),
    elevation_deg: elevationDeg === undefined ? null : rounded(elevationDeg, 2),
    simulated: track.positions.some(({ simulated }) => simulated),
    test: track.positions.some(({ testBroadcast }) => testBroadcast),
  };
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits)) + 0;
}
