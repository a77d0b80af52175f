import type { SelectedTrack } from '#lib/client/display/display-summary.ts';
import { agePhase } from '#lib/model/ageing.ts';
import { emergencyClass, emergencyWords } from '#lib/model/emergency.ts';
import { headingText, lengthText, speedText } from '#lib/model/measure-text.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';

export function selectedText(
  { position, expiresAt, gone }: SelectedTrack,
  at: UpstreamInstant,
  units: UnitSystem,
): string {
  const { kind, ref, altitudeM, heightAglM, speedMps, headingDeg, emergencyState, simulated, testBroadcast } = position;
  const phase = agePhase(epochMs(position.observedAt), epochMs(expiresAt), kind, epochMs(at));
  const who = [
    `Selected ${kind} ${shortReference(ref)}`,
    simulated ? 'simulated' : '',
    testBroadcast ? 'test broadcast' : '',
    emergencyClass(emergencyState) === 'emergency' ? emergencyWords(emergencyState ?? '').toLowerCase() : '',
  ];
  const values = gone
    ? ['no longer on the map']
    : [
        phase === 'expired' ? 'expired' : '',
        named('altitude', lengthText(units, altitudeM)),
        named('height', lengthText(units, heightAglM)),
        named('speed', speedText(units, speedMps)),
        named('heading', headingText(headingDeg)),
      ];
  return `${joined(who)}: ${joined(values) || 'no values reported'}`;
}

const named = (name: string, value: string | undefined) => (value === undefined ? '' : `${name} ${value}`);
const joined = (parts: readonly string[]) => parts.filter((part) => part !== '').join(', ');
