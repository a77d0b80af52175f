import type { SelectedTrack } from '#lib/client/display/display-summary.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { headingText, lengthText, speedText } from '#lib/model/measure-text.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';

interface HeadValue {
  readonly label: string;
  /** `undefined` is "not reported". */
  readonly value: string | undefined;
}

export function headValues(
  { position, expiresAt, gone }: SelectedTrack,
  shownAt: UpstreamInstant,
  units: UnitSystem,
): readonly HeadValue[] {
  const { kind, heightAglM, altitudeM, speedMps, headingDeg, observedAt } = position;
  const isExpired = gone || shownAt >= expiresAt;
  return [
    kind === 'drone'
      ? { label: 'Height', value: lengthText(units, heightAglM) }
      : { label: 'Altitude', value: lengthText(units, altitudeM) },
    { label: 'Speed', value: speedText(units, speedMps) },
    { label: 'Heading', value: headingText(headingDeg) },
    { label: isExpired ? 'Expired' : 'Age', value: durationText(msBetween(observedAt, shownAt)) },
  ];
}
