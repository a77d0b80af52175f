/** The tile builder and the style share this file. */

/** Path under the app's origin and under public/. */
export const BASEMAP_ARCHIVE_PATH = '/basemap/lookout.pmtiles';

export const BASEMAP_FONTS_PATH = '/basemap/fonts';

/** Beyond this zoom MapLibre enlarges the tiles. */
export const BASEMAP_MAX_TILE_ZOOM = 6;

/** At zoom 6 a unit is 0.0014° of longitude, finer than world-atlas's 0.0036° grid. */
export const BASEMAP_TILE_EXTENT = 4096;

/**
 * GeoNames (CC BY 4.0) and OpenStreetMap's lakes (ODbL 1.0) require attribution; Natural Earth is in the public domain.
 */
export const BASEMAP_ATTRIBUTION = [
  attributionLink('https://www.openstreetmap.org/copyright', '© OpenStreetMap contributors (ODbL 1.0)'),
  attributionLink('https://www.geonames.org/', '© GeoNames (CC BY 4.0)'),
  attributionLink('https://www.naturalearthdata.com/', 'Natural Earth'),
].join(', ');

export function attributionLink(address: string, text: string): string {
  return `<a href="${address}" target="_blank" rel="noreferrer">${text}</a>`;
}

export const BASEMAP_LAYER = {
  land: 'land',
  lakes: 'lakes',
  rivers: 'rivers',
  coast: 'coast',
  borders: 'borders',
  places: 'places',
} as const;

export interface PlaceAttributes {
  readonly name: string;
  readonly min_zoom: number;
  /** Lower is more important; ties share a rank. */
  readonly rank: number;
  /** 3 for a national capital or over a million people, 2 from 100,000, 1 below. */
  readonly weight: number;
}
