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

/** `rid`: drone Remote ID. `adsb`: aircraft ADS-B. */
export { LAYERS, type Layer };

/**
 * One received position, with every field of record-fields.ts. `undefined` means "not reported" and is never replaced by 0.
 * Angles are WGS84 degrees, lengths metres, speeds metres per second; headings are clockwise from north.
 */
export type Position = RecordValues;

export type TrackKind = Position['kind'];

/** Reads the fields that no code refers to by name: they only exist in the table of record-fields.ts. */
export interface PositionSource {
  readonly measure: (name: MeasureName) => number | undefined;
  readonly label: (name: LabelName) => string | undefined;
  readonly flag: (name: FlagName) => boolean;
}

type Listed = MeasureName | LabelName | FlagName;

/** Assigns field by field: thousands of positions are created at a time, and spreading is three times as slow. */
export function makePosition(named: Omit<Position, Listed>, { measure, label, flag }: PositionSource): Position {
  const position: Omit<Position, Listed> & { -readonly [Name in Listed]?: Position[Name] } = { ...named };
  for (const name of MEASURE_NAMES) position[name] = measure(name);
  for (const name of LABEL_NAMES) position[name] = label(name);
  for (const name of FLAG_NAMES) position[name] = flag(name);
  return position as Position;
}
