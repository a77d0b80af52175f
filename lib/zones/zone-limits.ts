/** Counts the corners of holes too. */
export const ZONE_CORNERS_MAX = 500;
/** How many zones all operators have together. */
export const ZONES_MAX = 1000;
/** Current and coming permits: of a zone, since each decision may compare all of them, and of all zones. */
export const PERMITS_MAX = { zone: 100, all: 2000 } as const;
/**
 * How far an operator or a token permits without an admin: a mistake then silences a zone for a month at most. The end
 * counts from now, so that no chain of permits reaches further. A permit of one track is not wide.
 */
export const PERMIT_WITHOUT_ADMIN = { days: 31, wide_m: 100_000, wide_hours: 24 } as const;

/** Limits of one zone, which its schema validates and its form shows. Lengths are in metres. */
export const ZONE_LIMITS = {
  radius_m: { min: 1, max: 500_000 },
  /** The width of a corridor to each side. */
  half_width_m: { min: 1, max: 100_000 },
  history_requests_a_day: { min: 0, max: 1000 },
  weekly_hours: 21,
  landmark_name_characters: 80,
} as const;
