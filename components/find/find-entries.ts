import type { FoundPlace } from '#lib/api/places-answer.ts';
import { decimalText } from '#lib/geo/coordinate-text.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import type { CoordinateReading } from '#lib/geo/parse-coordinates.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import { shortReference } from '#lib/model/short-reference.ts';

export interface FoundTrack {
  readonly ref: string;
  readonly isDrone: boolean;
}

interface EntryText {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
}

/** Enter selects and centres a track, or moves the map to a place. */
export type FindEntry = EntryText &
  (
    | { readonly kind: 'track'; readonly ref: string }
    | { readonly kind: 'place'; readonly at: LonLat; readonly zoom: number }
  );

export interface FindMatches {
  readonly text: string;
  readonly coordinates: CoordinateReading | undefined;
  readonly tracks: readonly FoundTrack[];
  readonly places: readonly FoundPlace[];
}

export function findEntries({ text, coordinates, tracks, places }: FindMatches): FindEntry[] {
  const wanted = text.trim().toUpperCase();
  const isNamed = ({ ref }: FoundTrack) =>
    ref.toUpperCase().startsWith(wanted) || shortReference(ref).toUpperCase().startsWith(wanted);
  return [
    ...(coordinates?.ok ? [coordinatesEntry(coordinates.place)] : []),
    ...tracks.filter(isNamed).map(trackEntry),
    ...places.map(placeEntry),
    ...tracks.filter((track) => !isNamed(track)).map(trackEntry),
  ];
}

const COORDINATES_ZOOM = 14;

function coordinatesEntry(at: LonLat): FindEntry {
  return {
    kind: 'place',
    id: 'coordinates',
    title: decimalText(at),
    detail: 'Coordinates',
    at,
    zoom: COORDINATES_ZOOM,
  };
}

function trackEntry({ ref, isDrone }: FoundTrack): FindEntry {
  const detail = `${isDrone ? 'Drone' : 'Aircraft'} on this page · ${ref}`;
  return { kind: 'track', id: `track ${ref}`, title: shortReference(ref), detail, ref };
}

const KIND_TEXT: Readonly<Record<FoundPlace['kind'], string>> = {
  place: 'Place',
  airport: 'Airport',
  heliport: 'Heliport',
  seaplane_base: 'Seaplane base',
  balloonport: 'Balloon port',
};

function placeEntry(place: FoundPlace): FindEntry {
  const { kind, name, codes, city, country, population, closed, lat, lon } = place;
  const parts = [
    closed ? `Closed ${KIND_TEXT[kind].toLowerCase()}` : KIND_TEXT[kind],
    codes.join(' / '),
    [city !== null && city !== name ? city : '', countryName(country)].filter(Boolean).join(', '),
    population === null ? '' : `${groupedNumber(population)} inhabitants`,
  ];
  const title = codes.length > 0 ? `${codes.join(' / ')} ${name}` : name;
  const detail = parts.filter((part, index) => part !== '' && index !== 1).join(' · ');
  return { kind: 'place', id: `${kind} ${name} ${lat} ${lon}`, title, detail, at: { lon, lat }, zoom: zoomOf(place) };
}

function zoomOf({ kind, population, major }: FoundPlace): number {
  if (kind === 'place') return (population ?? 0) >= 1_000_000 ? 10 : (population ?? 0) >= 100_000 ? 11 : 12;
  return major ? 12.5 : 14;
}

function countryName(code: string): string {
  try {
    return new Intl.DisplayNames(['en'], { type: 'region' }).of(code) ?? code;
  } catch {
    return code;
  }
}
