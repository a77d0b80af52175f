import { FLAG_SIMULATED } from '#lib/model/record-fields.ts';
import { MARK_COASTED } from '#lib/picture/mark-style.ts';
import type { Picture } from '#lib/picture/picture.ts';

/** Whether everything drawn is simulated, coasted marks included, and something of it is current. */
export function allSimulated({ count, style }: Pick<Picture, 'count' | 'style'>): boolean {
  let current = false;
  for (let index = 0; index < count; index++) {
    const bits = style[index] as number;
    if ((bits & FLAG_SIMULATED) === 0) return false;
    if ((bits & MARK_COASTED) === 0) current = true;
  }
  return current;
}
