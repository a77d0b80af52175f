import { FLAG_SIMULATED } from '#lib/model/record-fields.ts';
import type { Picture } from '#lib/picture/picture.ts';

export function allSimulated({ count, style }: Pick<Picture, 'count' | 'style'>): boolean {
  for (let index = 0; index < count; index++) {
    if (((style[index] as number) & FLAG_SIMULATED) === 0) return false;
  }
  return count > 0;
}
