import { LAYERS, type Layer } from '#lib/contract/operation.ts';
import {
  FLAG_NAMES,
  type FlagName,
  LABEL_NAMES,
  type LabelName,
  MEASURE_NAMES,
  type MeasureName,
  type RecordValues,
} from './record-fields.ts';

export { LAYERS, type Layer };

/** `undefined` means "not reported". WGS84 degrees, metres, metres per second, clockwise from north. */
export type Position = RecordValues;

export type TrackKind = Position['kind'];

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
