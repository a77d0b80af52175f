import { z } from 'zod';
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

export const layerSchema = z.enum(LAYERS);

/**
 * One received position, every field of record-fields.ts. `undefined` is "not reported", which is never 0. Angles are WGS84
 * degrees, lengths metres, speeds metres per second; heading is clockwise from north.
 */
export type Position = RecordValues;

export type TrackKind = Position['kind'];

/** Where the fields come from that the table lists and no code names. */
export interface PositionSource {
  readonly measure: (name: MeasureName) => number | undefined;
  readonly label: (name: LabelName) => string | undefined;
  readonly flag: (name: FlagName) => boolean;
}

type Listed = MeasureName | LabelName | FlagName;

/** Filled in place: positions are made by the thousand, and spreading costs three times as much. */
export function makePosition(named: Omit<Position, Listed>, { measure, label, flag }: PositionSource): Position {
  const position: Omit<Position, Listed> & { -readonly [Name in Listed]?: Position[Name] } = { ...named };
  for (const name of MEASURE_NAMES) position[name] = measure(name);
  for (const name of LABEL_NAMES) position[name] = label(name);
  for (const name of FLAG_NAMES) position[name] = flag(name);
  return position as Position;
}
