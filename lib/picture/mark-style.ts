import { CONFIDENCE_CLASSES, type ConfidenceClass, confidenceClass } from '#lib/model/confidence.ts';
import { emergencyClass } from '#lib/model/emergency.ts';
import { FLAGS_END, type LabelName } from '#lib/model/record-fields.ts';

// A mark's style besides colour and opacity, in 16 bits: from the lowest, the record's flags (record-fields.ts), the mark's own
// flags, and the class of its outline.

/** Expired: a hollow dashed outline at the last received position. */
export const MARK_EXPIRED = FLAGS_END;
export const MARK_EMERGENCY = FLAGS_END << 1;
export const MARK_SELECTED = FLAGS_END << 2;

/** The lowest of three bits. */
const CONFIDENCE_UNIT = FLAGS_END << 3;

/** The bits of an outline's class, which encode its index in `CONFIDENCE_CLASSES`. */
export function confidenceBits(confidence: ConfidenceClass): number {
  return CONFIDENCE_CLASSES.indexOf(confidence) * CONFIDENCE_UNIT;
}

/** The record has an emergency value that is not known: it is shown as text, and changes nothing on the mark. */
export const EMERGENCY_AS_TEXT = FLAGS_END << 6;

export function confidenceIndex(style: number): number {
  return Math.floor(style / CONFIDENCE_UNIT) & 7;
}

/** The style bits for a label of the record; 0 if the label does not affect the mark. */
export function labelBits(name: LabelName, label: string | undefined): number {
  if (name === 'confidence') return confidenceBits(confidenceClass(label));
  if (name === 'emergencyState') {
    const known = emergencyClass(label);
    return known === 'emergency' ? MARK_EMERGENCY : known === 'as-text' ? EMERGENCY_AS_TEXT : 0;
  }
  return 0;
}
