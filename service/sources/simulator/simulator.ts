import { type Bbox, bboxContains, minDistanceM } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { wrapBearing, wrapLongitude } from '#lib/geo/longitude.ts';
import { seededUnit } from '#lib/random/seeded-random.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { type ComputedSource, NOTHING_REPORTED, type Observation, ttlMs } from '../observation.ts';
import { firstTickFrom, gapStartMs, isReceived, latestReceived, tickMs } from './reception.ts';
import {
  CHANCE,
  type Flight,
  flightsWithin,
  type Motion,
  motionAt,
  POSITION_ERROR_MAX_M,
  type Range,
  type SimulatedTrack,
  tracksNear,
  within,
} from './track.ts';
import { makeTracks, type TrafficOptions } from './traffic.ts';

/**
 * A source of made-up traffic. Answers depend on the seed and the requested time alone: the past is computed again for
 * each request, and nothing is stored.
 */
export function makeSimulator(options: TrafficOptions): ComputedSource {
  return simulate(makeTracks(options));
}

/** Makes a source of given tracks: positions that are due, received and in the box become observations. */
export function simulate(tracks: readonly SimulatedTrack[]): ComputedSource {
  const layers = {
    adsb: tracks.filter(({ layer }) => layer === 'adsb'),
    rid: tracks.filter(({ layer }) => layer === 'rid'),
  };
  return {
    live(layer, bbox, now) {
      const nowMs = epochMs(now);
      const expiredMs = nowMs - ttlMs(layer);
      const observations: Observation[] = [];
      for (const track of tracksNear(layers[layer], bbox)) {
        for (const flight of flightsWithin(track, expiredMs, nowMs + 1)) {
          const tick = latestReceived(flight, expiredMs - flight.startMs, nowMs - flight.startMs);
          if (tick === undefined) continue;
          const sighting = sightingAt(flight, tick);
          if (bboxContains(bbox, sighting.lon, sighting.lat)) observations.push(observe(sighting));
        }
      }
      return observations;
    },
    history(layer, bbox, window, maxCount) {
      const found = earliestSightings(layers[layer], bbox, window, maxCount + 1);
      return { observations: found.slice(0, maxCount).map(observe), more: found.length > maxCount };
    },
    historyTimes: (layer, bbox, window, maxCount) =>
      earliestSightings(layers[layer], bbox, window, maxCount).map((sighting) =>
        upstreamInstant(sightedAtMs(sighting)),
      ),
  };
}

/** No flight is faster, so a position far outside of the box excludes the next ones. */
const FASTEST_MPS = 260;

/** The next tick of a flight that is not read yet. */
interface FlightCursor {
  readonly flight: Flight;
  tick: number;
  /** ms since 1970. */
  atMs: number;
}

/** The first `maxCount` positions in the box, by time, then in the order of the tracks. */
function earliestSightings(
  tracks: readonly SimulatedTrack[],
  bbox: Bbox,
  window: Window,
  maxCount: number,
): Sighting[] {
  const [startMs, endMs] = [epochMs(window.start), epochMs(window.end)];
  const cursors: FlightCursor[] = [];
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

/** @param endMs ms since 1970, exclusive */
function readUntil(endMs: number, cursor: FlightCursor, bbox: Bbox, found: Sighting[]): void {
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

function moveTo(cursor: FlightCursor, elapsedMs: number): void {
  cursor.tick = firstTickFrom(cursor.flight, elapsedMs);
  cursor.atMs = cursor.flight.startMs + tickMs(cursor.flight, cursor.tick);
}

function minAwayMs(bbox: Bbox, point: LonLat): number {
  return (Math.max(0, minDistanceM(bbox, point) - POSITION_ERROR_MAX_M) / FASTEST_MPS) * 1000;
}

/** A received position of a flight. */
interface Sighting {
  readonly flight: Flight;
  readonly elapsedMs: number;
  /** Where the flight is, without the error of reception. */
  readonly motion: Motion;
  readonly lon: number;
  readonly lat: number;
}

/** A degree of latitude, accurate enough for errors. */
const METRES_PER_DEGREE = 111_195;
/** The error of reception, to the east and to the north. */
const ERROR_MAX_M = { adsb: 12, rid: 1.5 };

function sightingAt(flight: Flight, tick: number): Sighting {
  const elapsedMs = tickMs(flight, tick);
  const motion = motionAt(flight, elapsedMs);
  const errorDeg = (what: number) =>
    ((2 * seededUnit(flight.key, what, tick) - 1) * ERROR_MAX_M[flight.track.layer]) / METRES_PER_DEGREE;
  const eastDeg = errorDeg(CHANCE.noiseEast) / Math.max(0.01, Math.cos((motion.lat * Math.PI) / 180));
  return {
    flight,
    elapsedMs,
    motion,
    lon: wrapLongitude(microDeg(wrapLongitude(motion.lon + eastDeg))),
    lat: microDeg(motion.lat + errorDeg(CHANCE.noiseNorth)),
  };
}

/** ADS-B decoders write six decimals. */
function microDeg(deg: number): number {
  return Math.round(deg * 1e6) / 1e6;
}

function sightedAtMs({ flight, elapsedMs }: Sighting): number {
  return flight.startMs + elapsedMs;
}

/** The share of flights that do not report a field. Few aircraft report their height. */
const UNREPORTED_SHARE = 0.05;
const UNREPORTED_HEIGHT_SHARE = { adsb: 0.7, rid: 0.1 };
/** Aircraft report altitudes in steps of 25 ft. */
const ALTITUDE_STEP_M = { adsb: 7.62, rid: 0.1 };

/** Every so many tracks, one broadcasts tests. A small `first` gives small fleets one, too. */
const TESTS = { adsb: { every: 160, first: 10 }, rid: { every: 9, first: 4 } };
/** Air ambulances, silent in turn. All fly `alpineHop` (`traffic.ts`). */
const AMBULANCES = [5, 15];
const EMERGENCY_SHARE = { adsb: 0.004, rid: 0.03 };
const EMERGENCY_FROM: Range = [0.2, 0.8];
/** ADS-B's states (DO-260B) have readsb's names; a drone has only one. */
const EMERGENCY_STATES = { adsb: ['general', 'nordo', 'lifeguard', 'minfuel'], rid: ['emergency'] };

/** The receivers of a flight stay the same for so long. */
const SPELL_MS = 90 * SECOND_MS;
const SCORE_SPELL_MS = 5 * SECOND_MS;
const INCONSISTENT_SHARE = 0.03;
/** For so long before a gap in reception, positions are labelled `stale`. */
const FADING_MS = 40 * SECOND_MS;

type Quality = Pick<Observation, 'confidence' | 'confidenceScore' | 'receiverCount'>;
const NO_QUALITY: Quality = { confidence: null, confidenceScore: null, receiverCount: null };

function observe(sighting: Sighting): Observation {
  const { flight, elapsedMs, motion, lon, lat } = sighting;
  const { layer, index } = flight.track;
  let field = 0;
  const unlessUnreported = <Value>(value: Value, share = UNREPORTED_SHARE) =>
    seededUnit(flight.key, CHANCE.unreported, field++) < share ? null : value;
  const quality = unlessUnreported(qualityAt(flight, elapsedMs)) ?? NO_QUALITY;
  const emergency = emergencyAt(flight, elapsedMs);
  return {
    ...NOTHING_REPORTED,
    sourceId: `${layer === 'adsb' ? 'A' : 'D'}-${index}-${flight.number}`,
    layer,
    observedAt: upstreamInstant(sightedAtMs(sighting)),
    lon,
    lat,
    altitudeM: unlessUnreported(rounded(motion.altitudeM, ALTITUDE_STEP_M[layer])),
    heightAglM: unlessUnreported(motion.heightAglM && rounded(motion.heightAglM, 0.1), UNREPORTED_HEIGHT_SHARE[layer]),
    speedMps: unlessUnreported(rounded(motion.speedMps, 0.1)),
    headingDeg: unlessUnreported(wrapBearing(rounded(motion.headingDeg, 0.1))),
    confidence: quality.confidence,
    confidenceScore: unlessUnreported(quality.confidenceScore),
    receiverCount: quality.receiverCount,
    simulated: true,
    testBroadcast: index % TESTS[layer].every === TESTS[layer].first,
    emergencyState: emergency ?? unlessUnreported('unknown'),
  };
}

function emergencyAt({ track, key, startMs, endMs }: Flight, elapsedMs: number): string | undefined {
  const { layer, index } = track;
  if (layer === 'adsb' && AMBULANCES.includes(index % 1000)) return 'lifeguard';
  if (seededUnit(key, CHANCE.emergency) >= EMERGENCY_SHARE[layer]) return undefined;
  if (elapsedMs < (endMs - startMs) * within(EMERGENCY_FROM, seededUnit(key, CHANCE.emergencyStart))) return undefined;
  const states = EMERGENCY_STATES[layer];
  return states[Math.floor(states.length * seededUnit(key, CHANCE.emergencyState))];
}

function qualityAt(flight: Flight, elapsedMs: number): Quality {
  const { key, track } = flight;
  const { severalShare, orbitShare } = track.coverage;
  const quality = (confidence: string, score: Range, receiverCount: number | null): Quality => {
    const unit = seededUnit(key, CHANCE.score, Math.floor(elapsedMs / SCORE_SPELL_MS));
    return { confidence, confidenceScore: rounded(within(score, unit), 0.01), receiverCount };
  };
  if (elapsedMs > gapStartMs(flight, elapsedMs) - FADING_MS) return quality('stale', [0.08, 0.3], 1);
  if (seededUnit(key, CHANCE.orbit) < orbitShare) return quality('space_based', [0.4, 0.7], null);
  const spell = Math.floor(elapsedMs / SPELL_MS);
  const unit = seededUnit(key, CHANCE.label, spell);
  const receivers = 2 + Math.floor(6 * seededUnit(key, CHANCE.receivers, spell) ** 2);
  if (unit < INCONSISTENT_SHARE) return quality('inconsistent', [0.1, 0.35], receivers);
  if (unit > 1 - severalShare) {
    return quality('multi_station', [0.6 + 0.03 * receivers, 0.75 + 0.03 * receivers], receivers);
  }
  return quality('single', [0.35, 0.6], 1);
}

function rounded(value: number, step: number): number {
  return Math.round(Math.round(value / step) * step * 100) / 100;
}
