import type { Picture } from '#lib/picture/picture.ts';
import type { TrackColumns } from '#lib/picture/track-columns.ts';

export function hiddenSlots(
  { used, end }: Pick<TrackColumns, 'used' | 'end'>,
  { slot: shown, count }: Pick<Picture, 'slot' | 'count'>,
  before: ReadonlySet<number>,
): ReadonlySet<number> {
  const hidden = new Set<number>();
  let isSame = true;
  for (let slot = 0, index = 0; slot < end; slot++) {
    while (index < count && (shown[index] as number) < slot) index++;
    if (used[slot] !== 1 || (index < count && shown[index] === slot)) continue;
    hidden.add(slot);
    isSame &&= before.has(slot);
  }
  return isSame && hidden.size === before.size ? before : hidden;
}
