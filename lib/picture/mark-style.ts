import { CONFIDENCE_CLASSES, type ConfidenceClass, confidenceClass } from '#lib/model/confidence.ts';
import { emergencyClass } from '#lib/model/emergency.ts';
import { FLAGS_END, type LabelName } from '#lib/model/record-fields.ts';

// A style has 16 bits, from the lowest: the record's flags, the mark's flags, the class of its outline.

export const MARK_EXPIRED = FLAGS_END;
export const MARK_EMERGENCY = FLAGS_END << 1;
export const MARK_SELECTED = FLAGS_END << 2;

/** The lowest of the three bits of the confidence class. */
const CONFIDENCE_UNIT = FLAGS_END << 3;

export function confidenceBits(confidence: ConfidenceClass): number {
  return CONFIDENCE_CLASSES.indexOf(confidence) * CONFIDENCE_UNIT;
}

/** The record has an unknown emergency value, which is shown as text only. */
export const EMERGENCY_AS_TEXT = FLAGS_END << 6;

export function confidenceIndex(style: number): number {
  return Math.floor(style / CONFIDENCE_UNIT) & 7;
}

/** The bits by which a label changes the mark, or 0. */
export function labelBits(name: LabelName, label: string | undefined): number {
  if (name === 'confidence') return confidenceBits(confidenceClass(label));
  if (name === 'emergencyState') {
    const known = emergencyClass(label);
    return known === 'emergency' ? MARK_EMERGENCY : known === 'as-text' ? EMERGENCY_AS_TEXT : 0;
  }
  return 0;
}
