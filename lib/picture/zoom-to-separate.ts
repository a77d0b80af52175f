import type { Picture } from './picture.ts';

/** CSS pixels. */
const WORLD_PX = 512;

/** A metre is 2.5e-8 of the world. */
const TOGETHER = 1e-8;

/** The least zoom, up to `maxZoom`. Ignores marks at the same place. */
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
