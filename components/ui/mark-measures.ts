import type { ConfidenceClass } from '#lib/model/confidence.ts';

/** How marks are drawn around their silhouettes, in CSS pixels at symbol scale 1: the same on the map and in the legend. */
export const MARK_MEASURES = {
  /** Between the filled silhouette and its contour. */
  gapPx: 0.5,
  /** The ground under a mark that separates it from the map reaches this far beyond the contour. */
  haloPx: 1.1,
  coastedPx: 1.3,
  /** A coasted outline runs this far outside the silhouette, so that narrow wings stay hollow. */
  coastedOutsidePx: 0.9,
  coastedPeriodPx: 4.5,
  coastedDashPx: 3.25,
  /** The contour of a simulated mark is never thinner, so that it holds the hatching together. */
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
  /** A whole number of these goes round every outline; the other periods along it are whole parts of it. */
  dashPeriodPx: 9,
} as const;

/** The line around a current mark. */
interface Contour {
  readonly weightPx: number;
  /** Length of a dash and of a dash with its opening; `undefined` is a solid line. */
  readonly dash: { readonly onPx: number; readonly periodPx: number } | undefined;
}

/** Confidence shows by weight and breaks, so that colour is left to altitude. */
export const CONTOURS: Readonly<Record<ConfidenceClass, Contour>> = {
  several: { weightPx: 1.5, dash: undefined },
  single: { weightPx: 0.75, dash: undefined },
  inconsistent: { weightPx: 1.4, dash: { onPx: 5, periodPx: 9 } },
  stale: { weightPx: 1.4, dash: { onPx: 1.4, periodPx: 4.5 } },
  /** In the theme's neutral colour instead of the mark's own. */
  neutral: { weightPx: 0.7, dash: undefined },
};

/** Strength of a mark's lines where its own opacity is 0: they fade less than its fill, so that an old mark keeps its shape. */
export const LINE_OPACITY_FLOOR = 0.6;

export function lineOpacity(opacity: number): number {
  return LINE_OPACITY_FLOOR + (1 - LINE_OPACITY_FLOOR) * opacity;
}

/** How strong the fill of a simulated mark is between its stripes, as a part of the stripes' opacity. */
export const HATCH_GROUND_PART = 0.15;

/** How many dash periods go round an outline of this length. */
export function dashesRound(lengthPx: number): number {
  return Math.round(lengthPx / MARK_MEASURES.dashPeriodPx);
}
