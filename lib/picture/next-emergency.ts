import { FLAG_SIMULATED, FLAG_TEST } from '#lib/model/record-fields.ts';
import { MARK_COASTED } from './mark-style.ts';
import type { Picture } from './picture.ts';

type Emergencies = Pick<Picture, 'emergencies' | 'slot' | 'style'>;

/**
 * The slot of the emergency to look at after the one in `afterSlot`, round and round: real ones first, then test broadcasts, then
 * simulated ones; within these current before coasted ones, then by slot.
 * @param afterSlot any slot or none: without an emergency in it, the first one is returned
 * @returns `undefined` if the picture has no emergency
 */
export function nextEmergency(picture: Emergencies, afterSlot: number | undefined): number | undefined {
  const { emergencies, slot } = picture;
  const queued = emergencies.toSorted((a, b) => urgency(picture, a) - urgency(picture, b) || slot[a]! - slot[b]!);
  const at = queued.findIndex((index) => slot[index] === afterSlot);
  const next = queued[(at + 1) % queued.length];
  return next === undefined ? undefined : slot[next];
}

/** Lower is more urgent. */
function urgency(picture: Emergencies, index: number): number {
  const style = picture.style[index]!;
  const origin = style & FLAG_SIMULATED ? 2 : style & FLAG_TEST ? 1 : 0;
  return origin * 2 + (style & MARK_COASTED ? 1 : 0);
}
