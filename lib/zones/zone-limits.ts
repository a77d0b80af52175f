/** Counts the corners of holes too. */
export const ZONE_CORNERS_MAX = 500;
/** How many zones all operators have together. */
export const ZONES_MAX = 1000;

/** Limits of one zone, which its schema validates and its form shows. Lengths are in metres. */
export const ZONE_LIMITS = {
  radius_m: { min: 1, max: 500_000 },
  /** The width of a corridor to each side. */
  half_width_m: { min: 1, max: 100_000 },
  history_requests_a_day: { min: 0, max: 1000 },
  weekly_hours: 21,
  landmark_name_characters: 80,
  permits: 100,
  permit_note_characters: 200,
} as const;
