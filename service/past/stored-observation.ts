import { UNREPORTED } from '#lib/columns/unreported.ts';
import type { Layer } from '#lib/contract/operation.ts';
import { addMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import {
  type Observation,
  REPORTED_FIELDS,
  REPORTED_LABELS,
  REPORTED_NUMBERS,
  type ReportedName,
  type ReportedNumber,
} from '../sources/observation.ts';
import { periodStart } from './period.ts';
import type { Rows, StoredColumns } from './rows.ts';

/**
 * The steps are exact for received positions: Remote ID sends steps of 1e-7. The decoders of ADS-B write six decimals
 * (11 cm; the grid of the transmitted position is about 5 m).
 */
export const STEPS_PER_DEG: Readonly<Record<Layer, number>> = { adsb: 1e6, rid: 1e7 };

const NUMBERS = REPORTED_NUMBERS.map((name) => ({ name, stepsPerUnit: REPORTED_FIELDS[name].stepsPerUnit }));
type Unreported = Omit<Observation, ReportedName>;
type Writable<Value> = { -readonly [Name in keyof Value]: Value[Name] };

const FLAG_SIMULATED = 1;
const FLAG_TEST = 2;
const FLAG_RELAYED = 4;
const FLAG_ELSEWHERE_TOO = 8;
const MAX_STEPS = 2 ** 31 - 1;

/** A keyed digest: no other value is written to disk, since it could be a name. */
const TRACK_KEY = /^[0-9a-f]{32}$/;
const LABEL_MAX_LENGTH = 64;
/** A period has fewer labels; the limit bounds a mistake of the fusion. */
const LABELS_MAX = 256;

/** @returns false if the source id is no track key, or a value is no number or out of range */
export function storeObservation(rows: Rows, observation: Observation): boolean {
  const { sourceId, layer, observedAt, lon, lat } = observation;
  const offsetMs = msBetween(periodStart(observedAt), observedAt);
  if (!(TRACK_KEY.test(sourceId) && Number.isInteger(offsetMs))) return false;
  if (!(Math.abs(lon) <= 180 && Math.abs(lat) <= 90)) return false;
  const reported: Partial<Record<ReportedName, number>> = {};
  for (const { name, stepsPerUnit } of NUMBERS) {
    const steps = stepsOf(observation[name], stepsPerUnit);
    if (steps === undefined) return false;
    reported[name] = steps;
  }
  if (!REPORTED_LABELS.every((name) => fits(rows, observation[name]))) return false;
  for (const name of REPORTED_LABELS) reported[name] = labelOf(rows, observation[name]);
  rows.add(rows.trackNumber(sourceId), {
    offsetMs,
    lon: Math.round(lon * STEPS_PER_DEG[layer]),
    lat: Math.round(lat * STEPS_PER_DEG[layer]),
    ...(reported as Record<ReportedName, number>),
    flags: flagsOf(observation),
  });
  return true;
}

function flagsOf({ simulated, testBroadcast, relayedBy, isElsewhereToo }: Observation): number {
  return (
    (simulated ? FLAG_SIMULATED : 0) |
    (testBroadcast ? FLAG_TEST : 0) |
    (relayedBy === undefined ? 0 : FLAG_RELAYED) |
    (isElsewhereToo ? FLAG_ELSEWHERE_TOO : 0)
  );
}

/** Makes a function that restores rows: looking up columns for each row would cost several times as much. */
export function restorerOf(
  { layer, start }: { readonly layer: Layer; readonly start: UpstreamInstant },
  columns: StoredColumns,
  labels: readonly string[],
): (trackKey: string, row: number) => Observation {
  const { offsetMs, lon, lat, flags } = columns;
  const stepsPerDeg = STEPS_PER_DEG[layer];
  const numbers = NUMBERS.map((each) => ({ ...each, steps: columns[each.name] }));
  const texts = REPORTED_LABELS.map((name) => ({ name, numbers: columns[name] }));
  return (trackKey, row) => {
    const flag = flags[row]!;
    const observation: Writable<Unreported> & { -readonly [Name in ReportedName]?: number | string | null } = {
      sourceId: trackKey,
      layer,
      observedAt: addMs(start, offsetMs[row]!),
      lon: lon[row]! / stepsPerDeg,
      lat: lat[row]! / stepsPerDeg,
      simulated: (flag & FLAG_SIMULATED) !== 0,
      testBroadcast: (flag & FLAG_TEST) !== 0,
    };
    if ((flag & FLAG_RELAYED) !== 0) observation.relayedBy = '';
    if ((flag & FLAG_ELSEWHERE_TOO) !== 0) observation.isElsewhereToo = true;
    for (let index = 0; index < numbers.length; index += 1) {
      const { name, steps, stepsPerUnit } = numbers[index]!;
      observation[name] = steps[row] === UNREPORTED ? null : steps[row]! / stepsPerUnit;
    }
    for (let index = 0; index < texts.length; index += 1) {
      const { name, numbers } = texts[index]!;
      observation[name] = numbers[row] === UNREPORTED ? null : labels[numbers[row]!]!;
    }
    return observation as Observation;
  };
}

export function asStored(observation: Observation): Observation {
  const rounded: Partial<Record<ReportedNumber, number | null>> = {};
  for (const { name, stepsPerUnit } of NUMBERS) {
    const value = observation[name];
    rounded[name] = value === null ? null : roundTo(value, stepsPerUnit);
  }
  const stepsPerDeg = STEPS_PER_DEG[observation.layer];
  const [lon, lat] = [roundTo(observation.lon, stepsPerDeg), roundTo(observation.lat, stepsPerDeg)];
  return { ...observation, ...(rounded as Record<ReportedNumber, number | null>), lon, lat };
}

/** The sum turns −0 into 0. */
function roundTo(value: number, stepsPerUnit: number): number {
  return Math.round(value * stepsPerUnit) / stepsPerUnit + 0;
}

function stepsOf(value: number | null, stepsPerUnit: number): number | undefined {
  if (value === null) return UNREPORTED;
  const steps = Math.round(value * stepsPerUnit);
  return Math.abs(steps) <= MAX_STEPS ? steps : undefined;
}

function fits(rows: Rows, label: string | null): boolean {
  if (label === null || rows.labels.includes(label)) return true;
  return label.length <= LABEL_MAX_LENGTH && label.isWellFormed() && rows.labels.length < LABELS_MAX;
}

function labelOf(rows: Rows, label: string | null): number {
  return label === null ? UNREPORTED : rows.labelNumber(label);
}
