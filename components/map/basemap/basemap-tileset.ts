/** Contents of the offline basemap's tiles: shared by the builder that writes them and the style that reads them. */

/** Path of the archive under the app's origin, and under public/ on disk. */
export const BASEMAP_ARCHIVE_PATH = '/basemap/lookout.pmtiles';

/** Folder of the label fonts, in the same two places. */
export const BASEMAP_FONTS_PATH = '/basemap/fonts';

/** Tiles exist up to this zoom; beyond it MapLibre enlarges them. */
export const BASEMAP_MAX_TILE_ZOOM = 6;

/** Units along a tile's side. At zoom 6 one unit is 0.0014° of longitude, finer than the 0.0036° grid of world-atlas. */
export const BASEMAP_TILE_EXTENT = 4096;

/**
 * GeoNames is CC BY 4.0 and the lakes are OpenStreetMap's under ODbL 1.0: both require attribution on the map, with the licence. Natural
 * Earth is in the public domain and requires none. Nothing is requested of these addresses before a click.
 */
export const BASEMAP_ATTRIBUTION = [
  attributionLink('https://www.openstreetmap.org/copyright', '© OpenStreetMap contributors (ODbL 1.0)'),
  attributionLink('https://www.geonames.org/', '© GeoNames (CC BY 4.0)'),
  attributionLink('https://www.naturalearthdata.com/', 'Natural Earth'),
].join(', ');

/** @param text plain, without markup */
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
  /** Lowest integer zoom at which the place may be labelled. */
  readonly min_zoom: number;
  /** Lower is more important; places of equal importance share a rank. */
  readonly rank: number;
  /** 3 for a national capital or more than a million people, 2 from 100,000, 1 below. */
  readonly weight: number;
}
