export type RegionMapState =
  | { readonly kind: 'off' | 'opening' }
  /** @param isPicture tiles are images, which can be dimmed but not drawn in the theme's colours */
  | { readonly kind: 'shown'; readonly isPicture: boolean }
  /** It is tried again by itself. */
  | { readonly kind: 'failed'; readonly name: string; readonly problem: string };

export const NO_REGION_MAP: RegionMapState = { kind: 'off' };

/**
 * The name of the map to draw above the built-in one, if any.
 * @param preferred `null` is the built-in map alone, `undefined` no choice yet; what is no longer there counts as no choice
 */
export function chosenMap(names: readonly string[], preferred: string | null | undefined): string | undefined {
  if (preferred === null) return undefined;
  return preferred !== undefined && names.includes(preferred) ? preferred : names[0];
}

/** Stands for the map below alone; no map of one's own may have this name. */
export const BUILT_IN_MAP = 'built-in';

export function regionMapProblem({ name, problem }: Extract<RegionMapState, { kind: 'failed' }>): string {
  return `Map “${name}”: ${problem} The map below it is shown; this one is tried again by itself.`;
}

/** From here on the built-in map has little more to show than names. */
export const THIN_GROUND_ZOOM = 12;

/** The address of a build of the whole world; its date is to be filled in. */
const BUILD = 'https://build.protomaps.com/YYYYMMDD.pmtiles';

/** Installs a street map around a place. @param lat degrees, as is `lon` */
export function streetMapCommand({ lat, lon }: { readonly lat: number; readonly lon: number }): string {
  return `npm run map -- fetch ${BUILD} --around ${lat.toFixed(2)},${lon.toFixed(2)},60km`;
}
