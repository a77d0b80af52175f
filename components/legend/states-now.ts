import { FLAG_DRONE, FLAG_SIMULATED, FLAG_TEST } from '#lib/model/record-fields.ts';
import { MARK_EMERGENCY, MARK_EXPIRED } from '#lib/picture/mark-style.ts';
import type { Picture } from '#lib/picture/picture.ts';

export type MarkState =
  | 'aircraft'
  | 'drone'
  | 'ageing'
  | 'expired'
  | 'simulated'
  | 'test'
  | 'heading-unknown'
  | 'emergency';

export function statesNow({
  count,
  style,
  colour,
  headingDeg,
}: Pick<Picture, 'count' | 'style' | 'colour' | 'headingDeg'>): ReadonlySet<MarkState> {
  const states = new Set<MarkState>();
  let flags = 0;
  let common = FLAG_SIMULATED;
  for (let index = 0; index < count; index++) {
    const own = style[index]!;
    flags |= own;
    common &= own;
    if ((own & FLAG_DRONE) === 0) states.add('aircraft');
    if ((own & MARK_EXPIRED) === 0 && colour[index * 4 + 3]! < 255) states.add('ageing');
    if (Number.isNaN(headingDeg[index]!)) states.add('heading-unknown');
  }
  if (flags & FLAG_DRONE) states.add('drone');
  if (flags & ~common & FLAG_SIMULATED) states.add('simulated');
  if (flags & FLAG_TEST) states.add('test');
  if (flags & MARK_EXPIRED) states.add('expired');
  if (flags & MARK_EMERGENCY) states.add('emergency');
  return states;
}
