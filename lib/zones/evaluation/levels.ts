import { destination } from '#lib/geo/great-circle.ts';
import { emergencyClass } from '#lib/model/emergency.ts';
import type { Position } from '#lib/model/position.ts';
import type { CompiledRule, CompiledZone } from './compile-zones.ts';
import type { WatchedRule } from './transition.ts';
import { type HeightAnswer, heightAnswer, heightM, partBetweenLimits } from './vertical.ts';

/**
 * `shallow`: inside, less deep than the hold in metres. `near`: outside, nearer than it. `unknown` opens and ends
 * nothing.
 */
export type Level = 'in' | 'shallow' | 'unknown' | 'near' | 'out';

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

/** Floor and ceiling are held in seconds only. */
export function insideLevel({ rule, zone }: CompiledRule, position: Position, answer: ZoneAnswer): Level {
  if (!meetsConditions(rule, position)) return 'unknown';
  if (!answer.isOnGround) {
    return rule.hold_out_m === 0 || zone.ground.edgeM(position) >= rule.hold_out_m ? 'out' : 'near';
  }
  if (answer.height === 'outside') return 'out';
  if (answer.height === 'unknown') return 'unknown';
  const measured = measuredLevel(rule, position);
  if (measured !== 'in') return measured;
  return rule.hold_m === 0 || zone.ground.edgeM(position) >= rule.hold_m ? 'in' : 'shallow';
}

function measuredLevel(rule: WatchedRule, position: Position): 'in' | 'unknown' | 'out' {
  switch (rule.kind) {
    case 'speed':
      return compared(position.speedMps, rule.beyond, rule.speed_mps);
    case 'height':
      return compared(heightM(position, rule.field), rule.beyond, rule.height_m);
    case 'emergency':
      return emergencyLevel(position.emergencyState);
    default:
      return 'in';
  }
}

function compared(value: number | undefined, beyond: 'above' | 'below', limit: number): 'in' | 'unknown' | 'out' {
  if (value === undefined) return 'unknown';
  return (beyond === 'above' ? value > limit : value < limit) ? 'in' : 'out';
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
  const lonDeg = to.lon - from.lon - 360 * Math.round((to.lon - from.lon) / 360);
  const at = (share: number) => ({
    lon: from.lon + share * lonDeg,
    lat: from.lat + share * (to.lat - from.lat),
  });
  return ground.lineTouches(part[0] === 0 ? from : at(part[0]), part[1] === 1 ? to : at(part[1]));
}
