import type { Permit } from '#lib/api/watching/permits.ts';
import { type ClockZone, recentMinuteText } from '#lib/model/clock-text.ts';
import { lengthText } from '#lib/model/measure-text.ts';
import type { Layer } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { flightWatchedText, UNWATCHED_TEXT } from '#lib/zones/alarm-words.ts';
import type { PermitTerms } from '#lib/zones/permit.ts';
import { shapeText } from '../zone-text.ts';

/** Permits in words, in the units and time zone of the operator. */

const HEIGHT_TEXT = { height_agl_m: 'above ground', altitude_m: 'altitude' } as const;

export function layersText(layers: readonly Layer[]): string {
  if (layers.length > 1) return 'drone or aircraft';
  return layers[0] === 'adsb' ? 'aircraft' : 'drone';
}

export function permitHeightText(vertical: PermitTerms['vertical'], units: UnitSystem): string {
  if (vertical === null) return 'every height';
  const { field, floor_m, ceiling_m } = vertical;
  const [floor, ceiling] = [lengthText(units, floor_m ?? undefined), lengthText(units, ceiling_m ?? undefined)];
  const limits =
    ceiling === undefined ? `from ${floor}` : floor === undefined ? `up to ${ceiling}` : `${floor} to ${ceiling}`;
  return `${limits} ${HEIGHT_TEXT[field]}`;
}

/** `Every drone · whole zone · up to 120 m above ground`. */
export function coversText({ layers, track, shape, vertical }: PermitTerms, units: UnitSystem): string {
  return [
    track
      ? `${track.layer === 'rid' ? 'Drone' : 'Aircraft'} ${shortReference(track.ref)} only`
      : `Every ${layersText(layers)}`,
    shape ? shapeText(shape, units) : 'whole zone',
    permitHeightText(vertical, units),
  ].join(' · ');
}

/** `14:30Z to 16:30Z`, with the date on another day. */
export function timesText(
  { start, end }: Pick<PermitTerms, 'start' | 'end'>,
  now: UpstreamInstant | undefined,
  clock: ClockZone,
): string {
  return `${momentText(start, now, clock)} to ${momentText(end, now, clock)}`;
}

/** Its state is a word first, then a time, then who did it. */
export function permitStateText(permit: Permit, now: UpstreamInstant | undefined, clock: ClockZone): string {
  const { state, start, end, ended, made_by } = permit;
  const by = made_by === '' || made_by === ended?.by ? '' : ` · by ${made_by}`;
  if (ended) {
    const word = Date.parse(ended.at) <= Date.parse(start) ? 'Withdrawn' : 'Ended';
    return `${word} ${momentText(ended.at, now, clock)}${ended.by === '' ? '' : ` by ${ended.by}`}${by}`;
  }
  if (state === 'ended') return `Ended ${momentText(end, now, clock)}${by}`;
  if (state === 'coming') return `From ${timesText({ start, end }, now, clock)}${by}`;
  return `Until ${momentText(end, now, clock)}${by}`;
}

/** Whether an expected flight was received; '' where none is expected, or the permit was withdrawn. */
export function flightText(
  { flight, state, start, ended }: Permit,
  now: UpstreamInstant | undefined,
  clock: ClockZone,
): string {
  if (!flight || (ended && Date.parse(ended.at) <= Date.parse(start))) return '';
  const { received_at, watched } = flight;
  if (received_at !== null) return `Flight received ${momentText(received_at, now, clock)}`;
  if (!watched) return state === 'coming' ? 'Flight expected' : 'Flight expected, not received yet';
  if (watched.watched_s > 0) return `Flight not received. ${flightWatchedText(watched)}`;
  return `Flight not known: not watched${watched.reason === null ? '' : `, ${UNWATCHED_TEXT[watched.reason]}`}`;
}

function momentText(text: string, now: UpstreamInstant | undefined, clock: ClockZone): string {
  const at = parseInstant(text);
  return at === undefined ? text : recentMinuteText(at, now, clock);
}
