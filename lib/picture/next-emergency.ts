import { FLAG_SIMULATED, FLAG_TEST } from '#lib/model/record-fields.ts';
import { MARK_EXPIRED } from './mark-style.ts';
import type { Picture } from './picture.ts';

type Emergencies = Pick<Picture, 'emergencies' | 'slot' | 'style'>;

/**
 * The slot of the emergency to look at after the one in `afterSlot`, in a cycle: real ones first, then test broadcasts, then
 * simulated ones. Within each group, current ones precede expired ones, then by slot.
 * @param afterSlot any slot or none: without an emergency in it, the first one is returned
 * @returns `undefined` if the picture has no emergency
 */
export function nextEmergency(picture: Emergencies, afterSlot: number | undefined): number | undefined {
  const queued = queuedSlots(picture);
  return queued[(queued.indexOf(afterSlot ?? -1) + 1) % queued.length];
}

/** Which of the emergencies is in this slot, counted from 1; `undefined` if none is. */
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

/** Lower is more urgent. */
function urgency(picture: Emergencies, index: number): number {
  const style = picture.style[index]!;
  const origin = style & FLAG_SIMULATED ? 2 : style & FLAG_TEST ? 1 : 0;
  return origin * 2 + (style & MARK_EXPIRED ? 1 : 0);
}
