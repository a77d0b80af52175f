/** Measures of everything drawn around the silhouettes, in CSS pixels at symbol scale 1; shared by map and legend. */
export const MARK_MEASURES = {
  gapPx: 0.5,
  contourPx: 1,
  haloPx: 1.1,
  expiredPx: 1.3,
  /** Offset of an expired outline from the silhouette, so that narrow wings stay hollow. */
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
  /** Dash periods are adjusted so that a whole number goes round every outline; the other periods divide this one. */
  dashPeriodPx: 9,
} as const;

/** Measures of a mark that is drawn small, in CSS pixels at scale 1; shared by map and legend. */
export const SMALL_MARK_MEASURES = {
  /** Of an aircraft's dot. */
  radiusPx: 3.2,
  /** From the middle to the end of an aircraft's heading tick. */
  tickPx: 8,
  /** Half the width of the tick of either kind. */
  tickHalfPx: 0.75,
  /** A drone has a rotor at this distance from its middle along both axes, so that it is as wide as twice this and the rotor. */
  rotorAtPx: 3.9,
  rotorPx: 2.1,
  armHalfPx: 0.8,
  /** From the middle to the end of a drone's heading tick, between its rotors. */
  droneTickPx: 8.5,
  /** Around either, against the map. */
  rimPx: 0.9,
  ringPx: 1.1,
  /** Half the stripe that is cut out of a simulated dot or rotor: what is left of the hatching. */
  slitHalfPx: 0.75,
} as const;

/** Opacity of a mark's lines when its own is 0: they fade less than the fill, so that an old mark keeps its shape. */
export const LINE_OPACITY_FLOOR = 0.6;

export function lineOpacity(opacity: number): number {
  return LINE_OPACITY_FLOOR + (1 - LINE_OPACITY_FLOOR) * opacity;
}

/** Opacity of a simulated mark's fill between its stripes, as a fraction of the stripes' opacity. */
export const HATCH_GROUND_FRACTION = 0.15;

export function dashesRound(lengthPx: number): number {
  return Math.round(lengthPx / MARK_MEASURES.dashPeriodPx);
}
