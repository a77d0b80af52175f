import { distanceM } from '#lib/geo/great-circle.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import type { Position } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import type { CompiledRule } from '../evaluation/compile-zones.ts';
import { type Level, meetsConditions, zoneAnswer } from '../evaluation/levels.ts';
import { SEGMENT_MAX_MS } from '../evaluation/times.ts';
import { heightM } from '../height-field.ts';
import { HEIGHT_STEP_M } from '../rule-kinds.ts';

/** Placed at the time of the other track's last position. */
export function naivePairLevel(
  { rule, zone }: CompiledRule,
  position: Position,
  before: Position | undefined,
  other: Position,
): Level {
  if (rule.kind !== 'closer' || !before) return 'unknown';
  const [fromMs, toMs, otherMs] = [before, position, other].map(({ observedAt }) => epochMs(observedAt)) as [
    number,
    number,
    number,
  ];
  if (toMs - fromMs > SEGMENT_MAX_MS || otherMs < fromMs || otherMs > toMs) return 'unknown';
  if (![before, position, other].every((one) => meetsConditions(rule, one))) return 'unknown';
  const isInside = (one: Position) => {
    const { isOnGround, height } = zoneAnswer(zone, one);
    return isOnGround && (height === 'inside' || height === 'flagged');
  };
  if (!isInside(position) && !isInside(other)) return 'out';
  const share = (otherMs - fromMs) / (toMs - fromMs);
  const mixed = (from: number, to: number) => from + share * (to - from);
  const lon = wrapLongitude(before.lon + share * wrapLongitude(position.lon - before.lon));
  const apartM = distanceM({ lon, lat: mixed(before.lat, position.lat) }, other);
  const isNear = apartM > rule.horizontal_m;
  if (isNear && apartM >= rule.horizontal_m + rule.hold_out_m) return 'out';
  if (rule.vertical_m === null) return isNear ? 'near' : 'in';
  const [from, to, height] = [before, position, other].map((one) => heightM(one, rule.field));
  if (from === undefined || to === undefined || height === undefined) return 'unknown';
  const aboveM = Math.abs(mixed(from, to) - height);
  if (aboveM <= rule.vertical_m) return isNear ? 'near' : 'in';
  return rule.hold_out_m > 0 && aboveM < rule.vertical_m + HEIGHT_STEP_M ? 'near' : 'out';
}
