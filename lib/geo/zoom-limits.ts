/**
 * Every limit of the map's zoom. A level doubles the scale; at level 0 the world is 512 CSS pixels wide. The map clamps every
 * level to `MAP_ZOOM`.
 */
export const MAP_ZOOM = { min: 1, max: 18 } as const;

/** Levels that a link may name: links of other programs go beyond this map's. */
export const LINK_ZOOM = { min: 0, max: 24 } as const;

/** Levels that a setting, or a service, may name for the home view. */
export const HOME_ZOOM = { min: 0, max: MAP_ZOOM.max } as const;

/** Levels of the home view that a service derives from where its receivers hear tracks. */
export const RECEIVED_ZOOM = { min: 2, max: 10 } as const;

/** The map of coverage: its cells show nothing more at nearer levels. */
export const COVERAGE_ZOOM = { min: MAP_ZOOM.min, max: 12 } as const;

/** The nearest level at which the map of coverage fits its box into view: a small box keeps what surrounds it. */
export const COVERAGE_FIT_ZOOM_MAX = 10;

/** The nearest level at which the map fits tracks into view: nearer, a single track would fill it. */
export const FIT_ZOOM_MAX = 11;

/** The nearest level at which the map goes to an emergency: nearer, it shows hardly anything around the mark. */
export const NEXT_EMERGENCY_ZOOM_MAX = 14;

export function isZoomIn({ min, max }: { readonly min: number; readonly max: number }, zoom: number): boolean {
  return zoom >= min && zoom <= max;
}
