import { destination } from '#lib/geo/great-circle.ts';
import { shorterWayDeg } from '#lib/geo/longitude.ts';
import { emergencyClass } from '#lib/model/emergency.ts';
import type { Position } from '#lib/model/position.ts';
import type { CompiledRule, CompiledZone } from './compile-zones.ts';
import type { WatchedRule } from './transition.ts';
import { HEIGHT_STEP_M, type HeightAnswer, heightAnswer, heightM, isNearLimit, partBetweenLimits } from './vertical.ts';

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

/** Speeds of ADS-B have steps of 1 kt, 0.5 m/s. */
const SPEED_STEP_MPS = 1;

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
    measuredLevel(rule, position),
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

/** A rule without metres has no steps either. */
function held(rule: WatchedRule, level: 'in' | 'unknown' | 'out', isNear: () => boolean): Level {
  if (level === 'in' && rule.hold_m > 0 && isNear()) return 'shallow';
  return level === 'out' && rule.hold_out_m > 0 && isNear() ? 'near' : level;
}

function measuredLevel(rule: WatchedRule, position: Position): Level {
  switch (rule.kind) {
    case 'speed':
      return compared(rule, position.speedMps, rule.speed_mps, SPEED_STEP_MPS);
    case 'height':
      return compared(rule, heightM(position, rule.field), rule.height_m, HEIGHT_STEP_M);
    case 'emergency':
      return emergencyLevel(position.emergencyState);
    default:
      return 'in';
  }
}

function compared(
  rule: Extract<WatchedRule, { beyond: unknown }>,
  value: number | undefined,
  limit: number,
  step: number,
): Level {
  if (value === undefined) return 'unknown';
  const isBeyond = rule.beyond === 'above' ? value > limit : value < limit;
  return held(rule, isBeyond ? 'in' : 'out', () => Math.abs(value - limit) < step);
}

/** An unknown value raises and ends nothing. */
function emergencyLevel(state: string | undefined): 'in' | 'unknown' | 'out' {
  if (emergencyClass(state) === 'emergency') return 'in';
  return state === 'none' ? 'out' : 'unknown';
}

/** By last speed, heading and height. */
export function aheadLevel({ rule, zone }: CompiledRule, position: Position, answer: ZoneAnswer): Level {
  if (rule.kind !== 'about_to_enter' || !meetsConditions(rule, position)) return 'unknown';
  if (answer.height === 'outside') return 'out';
  if (answer.height === 'unknown') return 'unknown';
  if (answer.isOnGround || position.speedMps === 0) return 'out';
  if (position.speedMps === undefined || position.headingDeg === undefined) return 'unknown';
  const reached = destination(position, position.headingDeg, position.speedMps * rule.within_s);
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
