import { isReception, PAST_REASONS, type PastReason } from '#lib/api/layer-reason.ts';
import type { Incident, IncidentEntry, LayerAnswer, TrackInside } from '#lib/api/watching/incidents.ts';
import type { SightAnswer, SightingCheck, SightingInput } from '#lib/api/watching/sightings.ts';
import { type ClockZone, recentTimeText } from '#lib/model/clock-text.ts';
import { bearingText, NOT_REPORTED, nearDistanceText, wholeLengthText } from '#lib/model/measure-text.ts';
import { receptionNotice, receptionSentences } from '#lib/model/measured-reception.ts';
import type { Layer } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { instantOf } from '#lib/time/instant.ts';
import { HEIGHT_FIELD_TEXT } from '#lib/zones/height-field.ts';

/** Words of incidents, on screen and in the sealed file. */

export const LAYER_IN_FULL: Readonly<Record<Layer, string>> = { rid: 'Drones (Remote ID)', adsb: 'Aircraft (ADS-B)' };

export const ENTRY_TEXT: Readonly<Record<IncidentEntry['kind'], string>> = {
  observation: 'Observation',
  decision: 'Decision',
  call: 'Call',
  sighting: 'Sighting',
};

/** A time with the date on another day than the incident began. */
export type TimeText = (text: string) => string;

export function incidentTimes({ from }: Pick<Incident, 'from'>, zone: ClockZone): TimeText {
  return (text) => recentTimeText(instantOf(text), instantOf(from), zone);
}

/** A name of the person, who has none without sign-in. */
export function personText(by: string): string {
  return by === '' ? 'an operator' : by;
}

export function trackText(track: string, layer: Layer): string {
  return `${layer === 'rid' ? 'Drone' : 'Aircraft'} ${shortReference(track)}`;
}

/** Kinds of traffic that is not real. */
export function tagsOf({ simulated, test }: Pick<TrackInside, 'simulated' | 'test'>): readonly ('SIM' | 'TEST')[] {
  return [...(simulated ? (['SIM'] as const) : []), ...(test ? (['TEST'] as const) : [])];
}

/** Such as `3 tracks, 1 simulated track (SIM), 1 test track (TEST)`: those are never counted with others. */
export function countedTracksText(tracks: readonly Pick<TrackInside, 'simulated' | 'test'>[]): string {
  const simulated = tracks.filter((each) => each.simulated).length;
  const tests = tracks.filter((each) => each.test && !each.simulated).length;
  const counts = [
    [tracks.length - simulated - tests, 'track', ''],
    [simulated, 'simulated track', ' (SIM)'],
    [tests, 'test track', ' (TEST)'],
  ] as const;
  return counts
    .flatMap(([count, what, tag]) => (count === 0 ? [] : `${count} ${what}${count === 1 ? '' : 's'}${tag}`))
    .join(', ');
}

/** The answer of a layer in three values. */
export function verdictText({ verdict, tracks }: LayerAnswer): string {
  if (verdict === 'received') return `Received: ${countedTracksText(tracks)}`;
  return verdict === 'none_while_watched' ? 'None received while watched' : 'Not known';
}

export function watchText({ reason }: { readonly reason: PastReason }): string {
  const state = reason === 'receivers_partly' ? 'Partly watched' : isReception(reason) ? 'Not watched' : 'Not read';
  return `${state}: ${PAST_REASONS[reason].past}`;
}

export function lowestText({ lowest_m, lowest_field }: TrackInside, units: UnitSystem): string {
  if (lowest_m === null || lowest_field === null) return NOT_REPORTED;
  return `${wholeLengthText(units, lowest_m)}, ${HEIGHT_FIELD_TEXT[lowest_field]}`;
}

/** Such as `± 60 s, bearing 45° ± 10°, 800 m ± 200 m`. */
export function seenText(sighting: IncidentEntry['sighting'], units: UnitSystem): string {
  const seen = sighting as SightingInput;
  const { at_within_s, bearing_deg, bearing_within_deg, elevation_deg, elevation_within_deg } = seen;
  const { distance_m, distance_within_m } = seen;
  return [
    `± ${at_within_s} s`,
    `bearing ${bearing_deg}° ± ${bearing_within_deg}°`,
    elevation_deg == null ? [] : `elevation ${elevation_deg}° ± ${elevation_within_deg}°`,
    distance_m == null
      ? []
      : `${nearDistanceText(units, distance_m)} ± ${nearDistanceText(units, distance_within_m ?? 0)}`,
  ]
    .flat()
    .join(', ');
}

const FITS_SHOWN = 5;

interface CheckLine {
  readonly text: string;
  /** The track that the line is about. */
  readonly sight?: SightAnswer;
}

/** The result of a check of a sighting, line by line. */
export function checkLines(
  { fits, fits_count, nearest_miss, sky, not_watched, range_m, reception }: SightingCheck,
  units: UnitSystem,
  time: TimeText,
  nameOf = trackText,
): readonly CheckLine[] {
  const sightText = (sight: SightAnswer) => {
    const { track, layer, at, bearing_deg, off_deg, distance_m, elevation_deg } = sight;
    return [
      [nameOf(track, layer), ...tagsOf(sight)].join(' '),
      `${time(at)}, bearing ${bearingText(bearing_deg)}, ${off_deg.toFixed(1)}° off`,
      `${nearDistanceText(units, distance_m)} away`,
      elevation_deg === null ? 'elevation not known' : `elevation possibly ${elevation_deg.toFixed(1)}°`,
    ].join(' · ');
  };
  const more = fits_count - Math.min(FITS_SHOWN, fits.length);
  return [
    ...fits.slice(0, FITS_SHOWN).map((sight) => ({ text: `Fits: ${sightText(sight)}`, sight })),
    fits_count === 0 ? 'No received track fits.' : more > 0 ? `and ${more} more that fit` : [],
    nearest_miss ? { text: `Does not fit, nearest miss: ${sightText(nearest_miss)}`, sight: nearest_miss } : [],
    ...sky.map(
      ({ body, off_deg, altitude_deg }) =>
        `In the sky: ${body}, ${off_deg.toFixed(1)}° off, ${altitude_deg.toFixed(0)}° above the horizon`,
    ),
    ...not_watched.map(
      (stretch) =>
        `${LAYER_IN_FULL[stretch.layer]}, ${time(stretch.from)} to ${time(stretch.to)}. ${watchText(stretch)}`,
    ),
    ...(reception
      ? [...reception.layers.flatMap((of) => receptionSentences(of, units)), receptionNotice(reception.layers)]
      : []),
    `Looked up to ${nearDistanceText(units, range_m)} away. Satellites are not checked.`,
  ]
    .flat()
    .map((line) => (typeof line === 'string' ? { text: line } : line));
}
