import { CONFIDENCE_CLASSES, type ConfidenceClass } from '#lib/model/confidence.ts';

/** What a mark looks like beside its colour and strength, as bits of one number. */
export const MARK_DRONE = 1;
/** Expired: a hollow dashed outline at its last received place. */
export const MARK_COASTED = 2;
export const MARK_SIMULATED = 4;
export const MARK_TEST = 8;
export const MARK_EMERGENCY = 16;
export const MARK_SELECTED = 32;

const CONFIDENCE_SHIFT = 6;

/** The outline's class, as its index in `CONFIDENCE_CLASSES`, in three bits above the flags. */
export function confidenceBits(confidence: ConfidenceClass): number {
  return CONFIDENCE_CLASSES.indexOf(confidence) << CONFIDENCE_SHIFT;
}

export function confidenceIndex(style: number): number {
  return (style >> CONFIDENCE_SHIFT) & 7;
}
