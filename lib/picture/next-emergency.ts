import { FLAG_SIMULATED, FLAG_TEST } from '#lib/model/record-fields.ts';
import { MARK_EXPIRED } from './mark-style.ts';
import type { Picture } from './picture.ts';

type Emergencies = Pick<Picture, 'emergencies' | 'slot' | 'style'>;

/** In a cycle: real ones, test broadcasts, simulated ones, each with current before expired. */
export function nextEmergency(picture: Emergencies, afterSlot: number | undefined): number | undefined {
  const queued = queuedSlots(picture);
  return queued[(queued.indexOf(afterSlot ?? -1) + 1) % queued.length];
}

/** Counted from 1. */
export function emergencyNumber(picture: Emergencies, atSlot: number | undefined): number | undefined {
  const index = queuedSlots(picture).indexOf(atSlot ?? -1);
  return index < 0 ? undefined : index + 1;
}

function queuedSlots(picture: Emergencies): readonly number[] {
  const { emergencies, slot } = picture;
  return emergencies
    .toSorted((a, b) => urgency(picture, a) - urgency(picture, b) || slot[a]! - slot[b]!)
    .map((index) => slot[index]!);
}

function urgency(picture: Emergencies, index: number): number {
  const style = picture.style[index]!;
  const origin = style & FLAG_SIMULATED ? 2 : style & FLAG_TEST ? 1 : 0;
  return origin * 2 + (style & MARK_EXPIRED ? 1 : 0);
}
