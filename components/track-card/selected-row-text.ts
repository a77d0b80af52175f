import type { SelectedTrack } from '#lib/client/display/display-summary.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { lengthText, NOT_REPORTED, speedText } from '#lib/model/measure-text.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { type ShownPlace, trackAge } from './track-age.ts';

export function selectedRowText(
  track: SelectedTrack | undefined,
  shownAt: UpstreamInstant,
  { isPast, units, place }: { readonly isPast: boolean; readonly units: UnitSystem; readonly place: ShownPlace },
): string {
  if (!track) return isPast ? 'Not shown at this time' : 'Not received since it was selected';
  const age = trackAge(track, shownAt, place);
  if (age.state === 'gone') return age.text;
  const { kind, altitudeM, heightAglM, speedMps, observedAt } = track.position;
  const received = `${durationText(msBetween(observedAt, shownAt))} ago${age.state === 'expired' ? ', expired' : ''}`;
  const height =
    kind === 'drone'
      ? `${lengthText(units, heightAglM) ?? NOT_REPORTED} agl`
      : (lengthText(units, altitudeM) ?? `altitude ${NOT_REPORTED}`);
  const speed = speedText(units, speedMps) ?? `speed ${NOT_REPORTED}`;
  return `${received} · ${height} · ${speed}`;
}
