import type { Preferences } from '#lib/client/page/preferences.ts';
import { emergencyClass } from '#lib/model/emergency.ts';
import type { Position } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { LENGTH_UNIT, lengthIn, SPEED_UNIT, speedIn, type UnitSystem } from '#lib/model/units.ts';

/** @param tagsSimulated false where the page says that all marks are simulated */
export function labelText(
  position: Position,
  level: Preferences['labels'],
  units: UnitSystem,
  tagsSimulated: boolean,
): string {
  const tags = [
    emergencyClass(position.emergencyState) === 'emergency' ? position.emergencyState?.toUpperCase() : undefined,
    position.testBroadcast ? 'TEST' : undefined,
    tagsSimulated && position.simulated ? 'SIM' : undefined,
  ].filter((tag) => tag !== undefined);
  if (level === 'off') return tags.join(' ');
  const name = [...tags, shortReference(position.ref)].join(' ');
  return level === 'full' ? `${name}\n${heightText(position, units)} · ${speedText(position, units)}` : name;
}

function heightText(position: Position, units: UnitSystem): string {
  const isDrone = position.kind === 'drone';
  const metres = isDrone ? position.heightAglM : position.altitudeM;
  if (metres === undefined) return isDrone ? 'height not reported' : 'altitude not reported';
  return `${Math.round(lengthIn(units, metres))} ${LENGTH_UNIT[units]}${isDrone ? ' agl' : ''}`;
}

function speedText(position: Position, units: UnitSystem): string {
  if (position.speedMps === undefined) return 'speed not reported';
  return `${Math.round(speedIn(units, position.speedMps))} ${SPEED_UNIT[units]}`;
}
