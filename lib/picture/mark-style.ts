import { CONFIDENCE_CLASSES, type ConfidenceClass, confidenceClass } from '#lib/model/confidence.ts';
import { emergencyClass } from '#lib/model/emergency.ts';
import { FLAGS_END, type LabelName } from '#lib/model/record-fields.ts';

// What a mark looks like beside its colour and opacity, as bits of one number of 16: the record's flags (record-fields.ts),
// above them the flags of the mark alone, and above these the class of its outline.

/** Expired: a hollow dashed outline at its last received place. */
export const MARK_COASTED = FLAGS_END;
export const MARK_EMERGENCY = FLAGS_END << 1;
export const MARK_SELECTED = FLAGS_END << 2;

/** Three bits, from this one on. */
const CONFIDENCE_UNIT = FLAGS_END << 3;

/** The outline's class, as its index in `CONFIDENCE_CLASSES`. */
export function confidenceBits(confidence: ConfidenceClass): number {
  return CONFIDENCE_CLASSES.indexOf(confidence) * CONFIDENCE_UNIT;
}

export function confidenceIndex(style: number): number {
  return Math.floor(style / CONFIDENCE_UNIT) & 7;
}

/** The bits that follow from a label of the record; none where the label does not show on the mark. */
export function labelBits(name: LabelName, label: string | undefined): number {
  if (name === 'confidence') return confidenceBits(confidenceClass(label));
  if (name === 'emergencyState') return emergencyClass(label) === 'emergency' ? MARK_EMERGENCY : 0;
  return 0;
}
