import type { FoundPlace, FoundRunway } from '#lib/api/places-answer.ts';
import { type Area, areaBbox } from '#lib/geo/area.ts';
import { type Bbox, lonSpanDeg } from '#lib/geo/bbox.ts';
import { distanceToEdgeM } from '#lib/geo/edges.ts';
import { bearingDeg, distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { distanceText } from '#lib/model/measure-text.ts';
import type { UnitSystem } from '#lib/model/units.ts';

/** An area so near to a runway or an airport is around it. */
const AROUND_MAX_M = 500;
/** An airport so near names the area; otherwise the nearest town does. */
const AIRPORT_MAX_M = 15_000;
const COMPASS = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'] as const;

export function middleOf(area: Area): LonLat {
  if (area.kind === 'circle') return area.centre;
  const bbox = areaBbox(area);
  return middleOfBox(bbox);
}

function middleOfBox(bbox: Bbox): LonLat {
  return { lon: wrapLongitude(bbox.west + lonSpanDeg(bbox) / 2), lat: (bbox.south + bbox.north) / 2 };
}

/**
 * An area in a few words, such as `1.35 km around LSZH 14/32`, or `1.35 km × 800 m, 2.10 km NE of Wil`.
 * @param near airports, then towns, each the nearest first
 */
export function placeInWords(area: Area, near: readonly FoundPlace[], units: UnitSystem): string {
  const middle = middleOf(area);
  const landmark = landmarkOf(middle, near);
  const size = sizeText(area, units);
  if (!landmark) return `${size} around ${middle.lat.toFixed(4)}, ${middle.lon.toFixed(4)}`;
  const { name, at, awayM } = landmark;
  if (awayM <= AROUND_MAX_M) return `${size} around ${name}`;
  const direction = COMPASS[Math.round(bearingDeg(at, middle) / 45) % COMPASS.length] ?? '';
  return `${size}, ${distanceText(units, awayM)} ${direction} of ${name}`;
}

interface Landmark {
  readonly name: string;
  readonly at: LonLat;
  readonly awayM: number;
}

function landmarkOf(middle: LonLat, near: readonly FoundPlace[]): Landmark | undefined {
  const airports = near.filter(({ kind }) => kind === 'airport');
  const runways = airports
    .flatMap((airport) => airport.runways.map((runway) => runwayOf(middle, airport, runway)))
    .filter(({ awayM }) => awayM <= AROUND_MAX_M)
    .sort((a, b) => distanceM(middle, a.at) - distanceM(middle, b.at));
  const places = [...airports.map((each) => landmarkAt(middle, each)).filter(({ awayM }) => awayM <= AIRPORT_MAX_M)];
  const [town] = near.filter(({ kind }) => kind === 'place');
  return runways[0] ?? places[0] ?? (town && landmarkAt(middle, town));
}

function runwayOf(middle: LonLat, airport: FoundPlace, { name, ends }: FoundRunway): Landmark {
  const [from, to] = ends.map(([lon, lat]) => ({ lon, lat })) as [LonLat, LonLat];
  const at = { lon: from.lon + wrapLongitude(to.lon - from.lon) / 2, lat: (from.lat + to.lat) / 2 };
  return { name: `${codeOf(airport)} ${name}`, at, awayM: distanceToEdgeM(from, to, middle) };
}

function landmarkAt(middle: LonLat, place: FoundPlace): Landmark {
  const { lon, lat } = place;
  const code = place.codes[0];
  const name = code === undefined ? place.name : `${code} ${place.name}`;
  return { name, at: { lon, lat }, awayM: distanceM(middle, place) };
}

/** The ICAO code; an airport without any is named in full. */
function codeOf({ codes, name }: FoundPlace): string {
  return codes[0] ?? name;
}

function sizeText(area: Area, units: UnitSystem): string {
  switch (area.kind) {
    case 'circle':
      return distanceText(units, area.radiusM);
    case 'corridor':
      return `${distanceText(units, area.halfWidthM)} on each side of a line`;
    case 'polygon': {
      const { west, south, east, north } = areaBbox(area);
      const { lon, lat } = middleOf(area);
      const [wide, high] = [
        distanceM({ lon: west, lat }, { lon: east, lat }),
        distanceM({ lon, lat: south }, { lon, lat: north }),
      ];
      return `Area of ${distanceText(units, wide)} × ${distanceText(units, high)}`;
    }
  }
}
