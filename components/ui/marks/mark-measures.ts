/** CSS pixels at symbol scale 1. */
export const MARK_MEASURES = {
  gapPx: 0.5,
  contourPx: 1,
  haloPx: 1.1,
  expiredPx: 1.3,
  /** Distance from the silhouette, so that narrow wings stay hollow. */
  expiredOutsidePx: 0.9,
  expiredPeriodPx: 4.5,
  expiredDashPx: 3.25,
  hatchPeriodPx: 3.6,
  hatchPx: 1.7,
  testHalfPx: 13.5,
  testPx: 1.2,
  testPeriodPx: 4.5,
  testDashPx: 2.7,
  emergencyRadiusPx: 15,
  emergencyPx: 2,
  selectedHalfPx: 16.5,
  selectedArmPx: 5.5,
  selectedPx: 1.8,
  /** Adjusted so that whole numbers of dashes go round; the other periods divide it. */
  dashPeriodPx: 9,
} as const;

/** All measures are CSS pixels at symbol scale 1. */
export const SMALL_MARK_MEASURES = {
  /** Radius of an aircraft's dot. */
  radiusPx: 3.2,
  tickPx: 8,
  tickHalfPx: 0.75,
  /** Distance of rotors from the middle along both axes; half the drone's width with `rotorPx`. */
  rotorAtPx: 3.9,
  rotorPx: 2.1,
  armHalfPx: 0.8,
  droneTickPx: 8.5,
  rimPx: 0.9,
  ringPx: 1.1,
  /** Half the stripe cut out of a simulated dot or rotor. */
  slitHalfPx: 0.75,
} as const;

/** Lines fade less than the fill, so that an old mark keeps its shape. */
export const LINE_OPACITY_FLOOR = 0.6;

export function lineOpacity(opacity: number): number {
  return LINE_OPACITY_FLOOR + (1 - LINE_OPACITY_FLOOR) * opacity;
}

/** Fill between a simulated mark's stripes, as a fraction of their opacity. */
export const HATCH_GROUND_FRACTION = 0.15;

export function dashesRound(lengthPx: number): number {
  return Math.round(lengthPx / MARK_MEASURES.dashPeriodPx);
}
