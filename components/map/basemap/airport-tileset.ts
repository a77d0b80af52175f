import { attributionLink } from './basemap-tileset.ts';

/** Contents of the airports' tiles: shared by the builder that writes them and the style that reads them. */

/** Path of the archive under the app's origin, and under public/ on disk. */
export const AIRPORTS_ARCHIVE_PATH = '/basemap/airports.pmtiles';

/**
 * Tiles exist from the zoom of the first airports up to a unit of 4.8 m at the equator; MapLibre enlarges them beyond. The
 * source's coordinates have four decimals of a degree, 11 m.
 */
export const AIRPORT_TILE_ZOOM = { min: 5, max: 10 } as const;

/** Units along a tile's side: the resolution that MapLibre keeps. */
export const AIRPORT_TILE_EXTENT = 8192;

/** ODbL 1.0 requires this notice on the map. */
export const AIRPORTS_ATTRIBUTION = `Airports: ${attributionLink('https://ourairports.com/data/', 'OurAirports (ODbL 1.0)')}`;

export const AIRPORT_LAYER = {
  airports: 'airports',
  /** The ground between and around runways. */
  aerodromes: 'aerodromes',
  runways: 'runways',
  runwayEnds: 'runway_ends',
} as const;

/** The kinds on the map, most important first. */
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
  /** ICAO, or else the local code, and IATA, separated by a space; empty if it has none. */
  readonly codes: string;
  readonly kind: AirportKind;
  /** If at least one of its runways is in the tiles, so that it needs no mark where runways are seen. */
  readonly runways?: true;
}

export interface RunwayAttributes {
  /** Width in CSS pixels at zoom 18, since a pixel is fewer metres away from the equator. */
  readonly width_px_z18: number;
}

export interface RunwayEndAttributes {
  /** As painted on it: `16`, `28L`. */
  readonly ident: string;
  /** Where its label is anchored, so that it lies beyond the end: a value for `text-anchor`. */
  readonly anchor: string;
}
