export type RegionMapState =
  | { readonly kind: 'off' | 'opening' }
  /** @param isPicture tiles are images, which can be dimmed but not recoloured */
  | { readonly kind: 'shown'; readonly isPicture: boolean }
  | { readonly kind: 'failed'; readonly name: string; readonly problem: string };

export const NO_REGION_MAP: RegionMapState = { kind: 'off' };

/** @param preferred `null` is the built-in map alone, `undefined` no choice yet; a missing map counts as no choice */
export function chosenMap(names: readonly string[], preferred: string | null | undefined): string | undefined {
  if (preferred === null) return undefined;
  return preferred !== undefined && names.includes(preferred) ? preferred : names[0];
}

/** Stands for the built-in map alone; no region map may have this name. */
export const BUILT_IN_MAP = 'built-in';

export function regionMapProblem({ name, problem }: Extract<RegionMapState, { kind: 'failed' }>): string {
  return `Map “${name}”: ${problem} The map below it is shown; this one is tried again by itself.`;
}

/** From here the built-in map adds little more than names. */
export const THIN_GROUND_ZOOM = 12;

/** The name, in `hintsSeen`, of the note that no street map is installed. */
export const STREET_MAP_HINT = 'street-map';

const BUILD = 'https://build.protomaps.com/YYYYMMDD.pmtiles';

/** @param fetchCommand of this server */
export function streetMapCommand(
  fetchCommand: string,
  { lat, lon }: { readonly lat: number; readonly lon: number },
): string {
  return `${fetchCommand} ${BUILD} --around ${lat.toFixed(2)},${lon.toFixed(2)},60km`;
}
