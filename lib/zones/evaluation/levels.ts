import { destination } from '#lib/geo/great-circle.ts';
import { shorterWayDeg } from '#lib/geo/longitude.ts';
import type { Position } from '#lib/model/position.ts';
import { heightM } from '../height-field.ts';
import { HEIGHT_STEP_M } from '../rule-kinds.ts';
import type { Vertical } from '../zone.ts';
import type { CompiledRule, CompiledZone } from './compile-zones.ts';
import type { WatchedRule } from './transition.ts';

/**
 * `shallow`: inside, but not as deep as the hold in metres, or a step from a limit of height or speed. `near`: outside
 * by as little. `unknown` opens and ends nothing.
 */
export type Level = 'in' | 'shallow' | 'unknown' | 'near' | 'out';

/** The first of these that a part of the answer has is the whole answer. */
const WEAKEST_FIRST: readonly Level[] = ['out', 'near', 'unknown', 'shallow'];

export function weakest(...levels: readonly Level[]): Level {
  return WEAKEST_FIRST.find((level) => levels.includes(level)) ?? 'in';
}

export interface ZoneAnswer {
  readonly isOnGround: boolean;
  readonly height: HeightAnswer;
}

export function zoneAnswer({ zone, ground }: CompiledZone, position: Position): ZoneAnswer {
  return {
    isOnGround: ground.contains(position.lon, position.lat),
    height: heightAnswer(zone.vertical, position),
  };
}

export function meetsConditions(rule: WatchedRule, position: Position): boolean {
  return (
    (rule.simulated || !position.simulated) &&
    (rule.test || !position.testBroadcast) &&
    (rule.min_receivers <= 1 || (position.receiverCount ?? 0) >= rule.min_receivers) &&
    (rule.confidence === null || (position.confidence !== undefined && rule.confidence.includes(position.confidence)))
  );
}

export function insideLevel(compiled: CompiledRule, position: Position, answer: ZoneAnswer): Level {
  const { rule, zone } = compiled;
  if (!meetsConditions(rule, position)) return 'unknown';
  const others = weakest(
    held(rule, heightLevel(answer.height), () => isNearLimit(zone.zone.vertical, position)),
    measuredLevel(compiled, position),
  );
  if (others === 'out') return 'out';
  const holdM = answer.isOnGround ? compiled.holdInM : rule.hold_out_m;
  const isNearEdge = holdM > 0 && zone.ground.edgeM(position) < holdM;
  if (!answer.isOnGround) return isNearEdge ? 'near' : 'out';
  return isNearEdge ? weakest(others, 'shallow') : others;
}

function heightLevel(height: HeightAnswer): 'in' | 'unknown' | 'out' {
  if (height === 'outside') return 'out';
  return height === 'unknown' ? 'unknown' : 'in';
}

/** As near as a step to a limit is not surely on its side. A rule without metres has no steps either. */
function held(rule: WatchedRule, level: 'in' | 'unknown' | 'out', isNear: () => boolean): Level {
  if (level === 'in' && rule.hold_m > 0 && isNear()) return 'shallow';
  return level === 'out' && rule.hold_out_m > 0 && isNear() ? 'near' : level;
}

/** The level by the value that the kind of the rule measures besides the place. */
function measuredLevel({ rule, kind }: CompiledRule, position: Position): Level {
  const measured = kind.measure?.(rule, position) ?? 'in';
  if (typeof measured === 'string') return measured;
  const { value, beyond, limit, step } = measured;
  if (value === undefined) return 'unknown';
  const isBeyond = beyond === 'above' ? value > limit : value < limit;
  return held(rule, isBeyond ? 'in' : 'out', () => Math.abs(value - limit) < step);
}

/** Whether the track enters, by its last speed, heading and height. */
export function aheadLevel({ rule, zone, projectedS }: CompiledRule, position: Position, answer: ZoneAnswer): Level {
  if (!meetsConditions(rule, position)) return 'unknown';
  if (answer.height === 'outside') return 'out';
  if (answer.height === 'unknown') return 'unknown';
  if (answer.isOnGround || position.speedMps === 0) return 'out';
  if (position.speedMps === undefined || position.headingDeg === undefined) return 'unknown';
  const reached = destination(position, position.headingDeg, position.speedMps * projectedS);
  return zone.ground.lineTouches(position, reached) ? 'in' : 'out';
}

/** Whether the segment between two positions outside touches the zone. */
export function crossesBetween({ zone, ground }: CompiledZone, from: Position, to: Position): boolean {
  const part = partBetweenLimits(zone.vertical, from, to);
  if (!part) return false;
  const lonDeg = shorterWayDeg(from.lon, to.lon);
  const at = (share: number) => ({
    lon: from.lon + share * lonDeg,
    lat: from.lat + share * (to.lat - from.lat),
  });
  return ground.lineTouches(part[0] === 0 ? from : at(part[0]), part[1] === 1 ? to : at(part[1]));
}

/** `flagged` counts as inside; `unknown` is neither. */
type HeightAnswer = 'inside' | 'outside' | 'unknown' | 'flagged';

function heightAnswer(vertical: Vertical, position: Position): HeightAnswer {
  if (vertical === null || (vertical.floor_m === null && vertical.ceiling_m === null)) return 'inside';
  const height = heightM(position, vertical.field);
  if (height === undefined) return UNKNOWN[vertical.unknown];
  const isInside =
    (vertical.floor_m === null || height >= vertical.floor_m) &&
    (vertical.ceiling_m === null || height <= vertical.ceiling_m);
  return isInside ? 'inside' : 'outside';
}

const UNKNOWN = { counts: 'inside', flagged: 'flagged', excluded: 'unknown' } as const;

/** Whether a known height is near a stated limit. A layer thinner than four steps has a core. */
function isNearLimit(vertical: Vertical, position: Position): boolean {
  if (vertical === null) return false;
  const { floor_m, ceiling_m, field } = vertical;
  const height = heightM(position, field);
  if (height === undefined) return false;
  const stepM =
    floor_m === null || ceiling_m === null ? HEIGHT_STEP_M : Math.min(HEIGHT_STEP_M, (ceiling_m - floor_m) / 4);
  return [floor_m, ceiling_m].some((limit) => limit !== null && Math.abs(height - limit) < stepM);
}

/** @returns the part in [0, 1] of the segment, for evenly changing height */
function partBetweenLimits(vertical: Vertical, from: Position, to: Position): readonly [number, number] | undefined {
  if (vertical === null) return [0, 1];
  const { field, floor_m, ceiling_m, unknown } = vertical;
  if (floor_m === null && ceiling_m === null) return [0, 1];
  const [start, end] = [heightM(from, field), heightM(to, field)];
  if (start === undefined || end === undefined) return unknown === 'excluded' ? undefined : [0, 1];
  const floor = floor_m ?? Number.NEGATIVE_INFINITY;
  const ceiling = ceiling_m ?? Number.POSITIVE_INFINITY;
  if (start === end) return start >= floor && start <= ceiling ? [0, 1] : undefined;
  const [atFloor, atCeiling] = [(floor - start) / (end - start), (ceiling - start) / (end - start)];
  const first = Math.max(0, Math.min(atFloor, atCeiling));
  const last = Math.min(1, Math.max(atFloor, atCeiling));
  return first <= last ? [first, last] : undefined;
}
