import type { Layer } from '#lib/contract/operation.ts';
import { addMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Observation } from '../sources/observation.ts';
import { periodStart } from './period.ts';
import { type Rows, type StoredRow, UNREPORTED } from './rows.ts';

/**
 * Steps in a degree of position, so that a position is stored exactly as it was received: Remote ID sends steps of 1e-7,
 * and the decoders of ADS-B write six decimals (11 cm; what an aircraft sends is a grid of about 5 m).
 */
export const STEPS_PER_DEG: Readonly<Record<Layer, number>> = { adsb: 1e6, rid: 1e7 };

/**
 * Steps in a unit of what is reported. Remote ID's steps (0.5 m, 0.25 m/s, 1°) are whole numbers of these; feet and knots are
 * rounded by at most 5 mm and 5 mm/s. An aircraft's course comes from whole knots, so that 0.1° is finer than it is known.
 */
const STEPS_PER_UNIT = {
  altitudeM: 100,
  heightAglM: 100,
  speedMps: 100,
  headingDeg: 10,
  confidenceScore: 1000,
  receiverCount: 1,
} as const;
type Measure = keyof typeof STEPS_PER_UNIT;
const MEASURES = Object.keys(STEPS_PER_UNIT) as Measure[];

const FLAG_SIMULATED = 1;
const FLAG_TEST = 2;
const MAX_STEPS = 2 ** 31 - 1;

/** Source ids of received tracks are keyed digests. Nothing else is written to disk: it could be a name. */
const TRACK_KEY = /^[0-9a-f]{32}$/;
const LABEL_MAX_LENGTH = 64;
/** Labels are a closed set at the fusion; this only bounds what a mistake there could cost. */
const LABELS_MAX = 256;

/**
 * Appends an observation to the rows of its period. Returns false, and adds nothing, if it can't be stored: its source id
 * is not a track key, or a value is not a number or out of range.
 */
export function storeObservation(rows: Rows, observation: Observation): boolean {
  const { sourceId, layer, observedAt, lon, lat } = observation;
  const offsetMs = msBetween(periodStart(observedAt), observedAt);
  if (!(TRACK_KEY.test(sourceId) && Number.isInteger(offsetMs))) return false;
  if (!(Math.abs(lon) <= 180 && Math.abs(lat) <= 90)) return false;
  const measures: Partial<Record<Measure, number>> = {};
  for (const name of MEASURES) {
    const steps = stepsOf(observation[name], STEPS_PER_UNIT[name]);
    if (steps === undefined) return false;
    measures[name] = steps;
  }
  if (!(fits(rows, observation.confidence) && fits(rows, observation.emergencyState))) return false;
  rows.add(rows.trackNumber(sourceId), {
    offsetMs,
    lon: Math.round(lon * STEPS_PER_DEG[layer]),
    lat: Math.round(lat * STEPS_PER_DEG[layer]),
    ...(measures as Record<Measure, number>),
    confidence: labelOf(rows, observation.confidence),
    emergencyState: labelOf(rows, observation.emergencyState),
    flags: (observation.simulated ? FLAG_SIMULATED : 0) | (observation.testBroadcast ? FLAG_TEST : 0),
  });
  return true;
}

/** The observation that was stored as this row of a period. */
export function restoreObservation(
  { layer, start }: { readonly layer: Layer; readonly start: UpstreamInstant },
  trackKey: string,
  row: StoredRow,
  labels: readonly string[],
): Observation {
  return {
    sourceId: trackKey,
    layer,
    observedAt: addMs(start, row.offsetMs),
    lon: row.lon / STEPS_PER_DEG[layer],
    lat: row.lat / STEPS_PER_DEG[layer],
    altitudeM: unitsOf(row, 'altitudeM'),
    heightAglM: unitsOf(row, 'heightAglM'),
    speedMps: unitsOf(row, 'speedMps'),
    headingDeg: unitsOf(row, 'headingDeg'),
    confidence: row.confidence === UNREPORTED ? null : labels[row.confidence]!,
    confidenceScore: unitsOf(row, 'confidenceScore'),
    receiverCount: unitsOf(row, 'receiverCount'),
    emergencyState: row.emergencyState === UNREPORTED ? null : labels[row.emergencyState]!,
    simulated: (row.flags & FLAG_SIMULATED) !== 0,
    testBroadcast: (row.flags & FLAG_TEST) !== 0,
  };
}

/** The observation with its values rounded as the past stores them: what history will answer. */
export function asStored(observation: Observation): Observation {
  const rounded: Record<string, number | null> = {};
  for (const name of MEASURES) {
    const value = observation[name];
    rounded[name] = value === null ? null : roundTo(value, STEPS_PER_UNIT[name]);
  }
  const stepsPerDeg = STEPS_PER_DEG[observation.layer];
  const [lon, lat] = [roundTo(observation.lon, stepsPerDeg), roundTo(observation.lat, stepsPerDeg)];
  return { ...observation, ...rounded, lon, lat };
}

/** Rounds to the nearest step; never to −0. */
function roundTo(value: number, stepsPerUnit: number): number {
  return Math.round(value * stepsPerUnit) / stepsPerUnit + 0;
}

function stepsOf(value: number | null, stepsPerUnit: number): number | undefined {
  if (value === null) return UNREPORTED;
  const steps = Math.round(value * stepsPerUnit);
  return Math.abs(steps) <= MAX_STEPS ? steps : undefined;
}

function unitsOf(row: StoredRow, name: Measure): number | null {
  return row[name] === UNREPORTED ? null : row[name] / STEPS_PER_UNIT[name];
}

function fits(rows: Rows, label: string | null): boolean {
  if (label === null || rows.labels.includes(label)) return true;
  return label.length <= LABEL_MAX_LENGTH && label.isWellFormed() && rows.labels.length < LABELS_MAX;
}

function labelOf(rows: Rows, label: string | null): number {
  return label === null ? UNREPORTED : rows.labelNumber(label);
}
