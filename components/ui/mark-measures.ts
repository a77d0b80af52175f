import type { ConfidenceClass } from '#lib/model/confidence.ts';

/** Measures of everything drawn around the silhouettes, in CSS pixels at symbol scale 1; shared by map and legend. */
export const MARK_MEASURES = {
  /** Gap between the filled silhouette and its contour. */
  gapPx: 0.5,
  /** How far the halo, which separates a mark from the map, extends beyond the contour. */
  haloPx: 1.1,
  expiredPx: 1.3,
  /** Offset of an expired outline from the silhouette, so that narrow wings stay hollow. */
  expiredOutsidePx: 0.9,
  expiredPeriodPx: 4.5,
  expiredDashPx: 3.25,
  /** Minimum contour of a simulated mark, which has to enclose the hatching. */
  simulatedMinPx: 0.9,
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

/** Measures of a mark that is drawn as a dot, in CSS pixels at scale 1; shared by map and legend. */
export const SMALL_MARK_MEASURES = {
  radiusPx: 3.2,
  /** Around the dot and its tick, against the map. */
  rimPx: 0.9,
  /** From the middle to the end of the heading's tick. */
  tickPx: 8,
  tickHalfPx: 0.75,
  /** Line of an expired ring. */
  ringPx: 1.1,
  /** Half the stripe that is cut out of a simulated dot: what is left of the hatching. */
  slitHalfPx: 0.75,
} as const;

/** The line around a current mark. */
interface Contour {
  readonly weightPx: number;
  /** Length of a dash, and of a dash with its gap; `undefined` is a solid line. */
  readonly dash: { readonly onPx: number; readonly periodPx: number } | undefined;
}

/** Confidence is shown by weight and dashes, since colour stands for altitude. */
export const CONTOURS: Readonly<Record<ConfidenceClass, Contour>> = {
  several: { weightPx: 1.5, dash: undefined },
  single: { weightPx: 0.75, dash: undefined },
  inconsistent: { weightPx: 1.4, dash: { onPx: 5, periodPx: 9 } },
  stale: { weightPx: 1.4, dash: { onPx: 1.4, periodPx: 4.5 } },
  /** In the theme's neutral colour instead of the mark's own. */
  neutral: { weightPx: 0.7, dash: undefined },
};

/** Opacity of a mark's lines when its own is 0: they fade less than the fill, so that an old mark keeps its shape. */
export const LINE_OPACITY_FLOOR = 0.6;

export function lineOpacity(opacity: number): number {
  return LINE_OPACITY_FLOOR + (1 - LINE_OPACITY_FLOOR) * opacity;
}

/** Opacity of a simulated mark's fill between its stripes, as a fraction of the stripes' opacity. */
export const HATCH_GROUND_FRACTION = 0.15;

/** How many dash periods go round an outline of this length. */
export function dashesRound(lengthPx: number): number {
  return Math.round(lengthPx / MARK_MEASURES.dashPeriodPx);
}
