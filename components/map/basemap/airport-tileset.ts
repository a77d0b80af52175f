import { attributionLink } from './basemap-tileset.ts';

/** The tile builder and the style share this file. */

/** Path under the app's origin and under public/. */
export const AIRPORTS_ARCHIVE_PATH = '/basemap/airports.pmtiles';

export const AIRPORT_TILE_ZOOM = { min: 5, max: 10 } as const;

/** MapLibre's resolution: units along a tile's side. */
export const AIRPORT_TILE_EXTENT = 8192;

/** ODbL 1.0 requires this notice on the map. */
export const AIRPORTS_ATTRIBUTION = `Airports: ${attributionLink('https://ourairports.com/data/', 'OurAirports (ODbL 1.0)')}`;

export const AIRPORT_LAYER = {
  airports: 'airports',
  runways: 'runways',
  runwayEnds: 'runway_ends',
} as const;

export const AIRPORT_KINDS = ['large', 'medium', 'small', 'seaplane_base', 'heliport', 'balloonport'] as const;

export type AirportKind = (typeof AIRPORT_KINDS)[number];

export const AIRPORT_MIN_ZOOM: Readonly<Record<AirportKind, number>> = {
  large: 5,
  medium: 8,
  small: 11,
  seaplane_base: 11,
  heliport: 11,
  balloonport: 11,
};

export interface AirportAttributes {
  readonly name: string;
  /** ICAO or local code, then IATA, separated by a space; may be empty. */
  readonly codes: string;
  readonly kind: AirportKind;
  /** An airport with drawn ground needs no mark at close zooms. */
  readonly runways?: true;
}

export interface RunwayAttributes {
  /** The width in pixels at zoom 18. A metre has more pixels away from the equator. */
  readonly width_px_z18: number;
}

export interface RunwayEndAttributes {
  readonly ident: string;
  /** `text-anchor` that puts the label beyond the runway's end. */
  readonly anchor: string;
}
