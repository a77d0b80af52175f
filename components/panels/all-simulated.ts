import { MARK_SIMULATED } from '#lib/picture/mark-style.ts';
import type { Picture } from '#lib/picture/picture.ts';

/** Whether something is drawn and all of it is simulated, coasted marks included. */
export function allSimulated({ count, style }: Pick<Picture, 'count' | 'style'>): boolean {
  for (let index = 0; index < count; index++) {
    if (((style[index] as number) & MARK_SIMULATED) === 0) return false;
  }
  return count > 0;
}
