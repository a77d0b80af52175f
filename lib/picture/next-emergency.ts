import { FLAG_SIMULATED, FLAG_TEST } from '#lib/model/record-fields.ts';
import { MARK_EXPIRED } from './mark-style.ts';
import type { Picture } from './picture.ts';

type Emergencies = Pick<Picture, 'emergencies' | 'slot' | 'style'>;

/** Emergencies follow in a cycle: real ones, test broadcasts, simulated ones, and of each the current before the expired. */
export function nextEmergency(picture: Emergencies, afterSlot: number | undefined): number | undefined {
  const queued = queuedSlots(picture);
  return queued[(queued.indexOf(afterSlot ?? -1) + 1) % queued.length];
}

/** The place of an emergency in that cycle, counted from 1. */
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

/** The width of the world at zoom 0, in CSS pixels. */
const WORLD_PX = 512;

/** Marks this near, in parts of the world, are at one place: a metre is 2.5e-8. */
const TOGETHER = 1e-8;

/** The least zoom, up to `maxZoom`, at which the mark stands apart from others. Ignores marks at the same place. */
export function zoomToSeparate(
  { count, slot: slots, mercatorX, mercatorY }: Pick<Picture, 'count' | 'slot' | 'mercatorX' | 'mercatorY'>,
  slot: number,
  { zoom, apartPx, maxZoom }: { readonly zoom: number; readonly apartPx: number; readonly maxZoom: number },
): number {
  const at = slots.subarray(0, count).indexOf(slot);
  if (at < 0) return zoom;
  let nearest = Infinity;
  for (let index = 0; index < count; index++) {
    const across = Math.abs(mercatorX[index]! - mercatorX[at]!);
    const distance = Math.hypot(Math.min(across, 1 - across), mercatorY[index]! - mercatorY[at]!);
    if (distance > TOGETHER && distance < nearest) nearest = distance;
  }
  return Math.max(zoom, Math.min(maxZoom, Math.log2(apartPx / (WORLD_PX * nearest))));
}
