/** Includes holes. */
export const ZONE_CORNERS_MAX = 500;
/** Of all operators together. */
export const ZONES_MAX = 1000;
