import type { Picture } from './picture.ts';

/** Width of the world at zoom 0, CSS pixels. */
const WORLD_PX = 512;

/** Closer than this on the Earth, no zoom sets two marks apart: a metre is 2.5e-8 of the world. */
const TOGETHER = 1e-8;

/**
 * The least zoom, from `zoom` on, at which no other mark is within `apartPx` of the one in `slot`; at most `maxZoom`. Marks at the same
 * place are not counted.
 */
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
