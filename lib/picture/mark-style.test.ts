import { expect, test } from 'vitest';
import { CONFIDENCE_CLASSES } from '#lib/model/confidence.ts';
import { FLAG_NAMES, RECORD_FIELDS } from '#lib/model/record-fields.ts';
import {
  confidenceBits,
  confidenceIndex,
  EMERGENCY_AS_TEXT,
  labelBits,
  MARK_EMERGENCY,
  MARK_EXPIRED,
  MARK_SELECTED,
} from './mark-style.ts';

test('the bits of a style do not overlap and fit into 16 bits', () => {
  const ofRecord = [RECORD_FIELDS.kind.bit, ...FLAG_NAMES.map((name) => RECORD_FIELDS[name].bit)];
  const flags = [...ofRecord, MARK_EXPIRED, MARK_EMERGENCY, MARK_SELECTED, EMERGENCY_AS_TEXT];
  const all = flags.reduce((style, flag) => style | flag, 0);
  expect(flags.reduce((sum, flag) => sum + flag, 0)).toBe(all);
  for (const [index, confidence] of CONFIDENCE_CLASSES.entries()) {
    const [style] = Uint16Array.of(all | confidenceBits(confidence)) as unknown as [number];
    expect(confidenceIndex(style)).toBe(index);
    expect(style & all).toBe(all);
  }
});

test('an unknown emergency value is text, and never an emergency', () => {
  expect(labelBits('emergencyState', 'nordo')).toBe(MARK_EMERGENCY);
  expect(labelBits('emergencyState', 'NORDO')).toBe(EMERGENCY_AS_TEXT);
  for (const calm of ['none', 'unknown', undefined]) expect(labelBits('emergencyState', calm)).toBe(0);
});
