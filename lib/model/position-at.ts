import { upstreamInstant } from '#lib/time/instant.ts';
import { makePosition, type Position, type TrackKind } from './position.ts';
import { FLAG_DRONE, FLAG_NAMES, type LabelName, type NumberName, RECORD_FIELDS } from './record-fields.ts';

/** NaN means "not reported". Times are epoch ms. */
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
