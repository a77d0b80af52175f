import { type AgePhase, agePhase } from '#lib/model/ageing.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { emergencyClass, emergencyWords } from '#lib/model/emergency.ts';
import { headingText, lengthText, NOT_REPORTED, speedText } from '#lib/model/measure-text.ts';
import type { Position } from '#lib/model/position.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { epochMs } from '#lib/time/instant.ts';

/** Fits on one sheet with the map. */
export const PRINTED_ROWS_MAX = 14;

export interface PrintedRow {
  readonly number: string;
  readonly ref: string;
  /** Kind and states in words: paper has no colour to rely on. */
  readonly what: string;
  readonly altitude: string;
  readonly height: string;
  readonly speed: string;
  readonly heading: string;
  readonly age: string;
}

export interface PrintedTrack {
  readonly position: Position;
  readonly expiresAtMs: number;
}

/**
 * Selected tracks first, then emergencies, then drones.
 * @param tracks in the table's order
 * @param atMs epoch milliseconds
 */
export function printedRows(
  tracks: readonly PrintedTrack[],
  selectedRefs: readonly string[],
  atMs: number,
  units: UnitSystem,
): readonly PrintedRow[] {
  const rank = ({ ref, emergencyState, kind }: Position) => {
    if (selectedRefs.includes(ref)) return 0;
    if (emergencyClass(emergencyState) === 'emergency') return 1;
    return kind === 'drone' ? 2 : 3;
  };
  return tracks
    .toSorted((a, b) => rank(a.position) - rank(b.position))
    .slice(0, PRINTED_ROWS_MAX)
    .map(({ position, expiresAtMs }, index) => {
      const observedAtMs = epochMs(position.observedAt);
      return {
        number: String(index + 1),
        ref: position.ref,
        what: whatText(
          position,
          agePhase(observedAtMs, expiresAtMs, position.kind, atMs),
          selectedRefs.includes(position.ref),
        ),
        altitude: lengthText(units, position.altitudeM) ?? NOT_REPORTED,
        height: lengthText(units, position.heightAglM) ?? NOT_REPORTED,
        speed: speedText(units, position.speedMps) ?? NOT_REPORTED,
        heading: headingText(position.headingDeg) ?? NOT_REPORTED,
        age: durationText(atMs - observedAtMs),
      };
    });
}

function whatText(position: Position, phase: AgePhase, isSelected: boolean): string {
  const words: string[] = [position.kind];
  if (isSelected) words.push('selected');
  if (emergencyClass(position.emergencyState) === 'emergency')
    words.push(emergencyWords(position.emergencyState ?? ''));
  if (position.simulated) words.push('SIM');
  if (position.testBroadcast) words.push('TEST');
  if (phase === 'expired') words.push('expired');
  return words.join(' · ');
}
