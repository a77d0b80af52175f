/** Corners of a polygon with its holes, or of a corridor's line. */
export const CORNERS_MAX = 500;
/** Zones of all operators together. */
export const ZONES_MAX = 1000;
