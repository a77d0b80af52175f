/** Includes holes. */
export const CORNERS_MAX = 500;
/** Of all operators together. */
export const ZONES_MAX = 1000;
