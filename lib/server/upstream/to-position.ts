import 'server-only';
import { isLabel } from '#lib/contract/label.ts';
import type { WirePosition } from '#lib/contract/wire-position.ts';
import { makePosition, type Position } from '#lib/model/position.ts';
import {
  LABEL_NAMES,
  type LabelName,
  MAX_STEPS,
  MEASURE_NAMES,
  type NumberName,
  numberField,
  RECORD_FIELDS,
} from '#lib/model/record-fields.ts';
import { instantOf } from '#lib/time/instant.ts';

/** Malformed labels, and numbers too large for the compact form, count as not reported. */
export function unreadableValues(wire: WirePosition): number {
  let count = 0;
  for (const name of LABEL_NAMES) if (isUnreadable(wire, name)) count++;
  for (const name of MEASURE_NAMES) if (isTooLarge(name, wire[RECORD_FIELDS[name].wire])) count++;
  return count;
}

/** `undefined` for Remote ID's "no position yet" (0, 0). */
export function toPosition(wire: WirePosition): Position | undefined {
  const isDrone = wire.track_kind === 'drone';
  if (isDrone && wire.longitude === 0 && wire.latitude === 0) return undefined;
  return makePosition(
    {
      ref: wire.public_track_id,
      kind: isDrone ? 'drone' : 'aircraft',
      observedAt: instantOf(wire.observed_at),
      staleAfter: wire.stale_after === undefined ? undefined : instantOf(wire.stale_after),
      lon: wire.longitude,
      lat: wire.latitude,
    },
    {
      measure: (name) => {
        const value = wire[RECORD_FIELDS[name].wire];
        const isUnknown = isDrone && value === numberField(name).unknownInRid;
        return value === null || isUnknown || isTooLarge(name, value) ? undefined : value;
      },
      label: (name) => (isUnreadable(wire, name) ? undefined : (wire[RECORD_FIELDS[name].wire] ?? undefined)),
      flag: (name) => wire[RECORD_FIELDS[name].wire],
    },
  );
}

function isUnreadable(wire: WirePosition, name: LabelName): boolean {
  const text = wire[RECORD_FIELDS[name].wire];
  return text !== null && !isLabel(text);
}

function isTooLarge(name: NumberName, value: number | null): boolean {
  return value !== null && Math.abs(value) * numberField(name).stepsPerUnit > MAX_STEPS;
}
