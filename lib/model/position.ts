import { LAYERS, type Layer } from '#lib/contract/operation.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import {
  FLAG_DRONE,
  FLAG_NAMES,
  type FlagName,
  LABEL_NAMES,
  type LabelName,
  MEASURE_NAMES,
  type MeasureName,
  type NumberName,
  RECORD_FIELDS,
  type RecordValues,
} from './record-fields.ts';

export { LAYERS, type Layer };

/** `undefined` means "not reported". WGS84 degrees, metres, metres per second, clockwise from north. */
export type Position = RecordValues;

export type TrackKind = Position['kind'];

export const KIND_OF_LAYER: Readonly<Record<Layer, TrackKind>> = { rid: 'drone', adsb: 'aircraft' };
export const LAYER_OF_KIND: Readonly<Record<TrackKind, Layer>> = { drone: 'rid', aircraft: 'adsb' };
export const KIND_TEXT: Readonly<Record<TrackKind, string>> = { aircraft: 'Aircraft', drone: 'Drone' };

/** Reads the fields that only record-fields.ts names. */
export interface PositionSource {
  readonly measure: (name: MeasureName) => number | undefined;
  readonly label: (name: LabelName) => string | undefined;
  readonly flag: (name: FlagName) => boolean;
}

type Listed = MeasureName | LabelName | FlagName;

/** Spreading is three times as slow, and thousands are created at a time. */
export function makePosition(named: Omit<Position, Listed>, { measure, label, flag }: PositionSource): Position {
  const position: Omit<Position, Listed> & { -readonly [Name in Listed]?: Position[Name] } = { ...named };
  for (const name of MEASURE_NAMES) position[name] = measure(name);
  for (const name of LABEL_NAMES) position[name] = label(name);
  for (const name of FLAG_NAMES) position[name] = flag(name);
  return position as Position;
}

/** Columns of positions in units. NaN means "not reported", and times are epoch ms. */
export interface PositionColumns extends Readonly<Record<NumberName, Float64Array>> {
  readonly observedAtMs: Float64Array;
  readonly staleAfterMs: Float64Array;
}

export interface BesideColumns {
  readonly ref: string;
  readonly flags: number;
  readonly label: (name: LabelName) => string | undefined;
}

export function positionAt(columns: PositionColumns, index: number, { ref, flags, label }: BesideColumns): Position {
  const staleAfterMs = reported(columns.staleAfterMs[index] as number);
  return makePosition(
    {
      ref,
      kind: kindOfFlags(flags),
      observedAt: upstreamInstant(columns.observedAtMs[index] as number),
      staleAfter: staleAfterMs === undefined ? undefined : upstreamInstant(staleAfterMs),
      lon: columns.lon[index] as number,
      lat: columns.lat[index] as number,
    },
    {
      measure: (name) => reported(columns[name][index] as number),
      label,
      flag: (name) => (flags & RECORD_FIELDS[name].bit) !== 0,
    },
  );
}

export function kindOfFlags(flags: number): TrackKind {
  return (flags & FLAG_DRONE) === 0 ? 'aircraft' : 'drone';
}

export function flagsOf(position: Position): number {
  let flags = position.kind === 'drone' ? FLAG_DRONE : 0;
  for (const name of FLAG_NAMES) if (position[name]) flags |= RECORD_FIELDS[name].bit;
  return flags;
}

function reported(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}
