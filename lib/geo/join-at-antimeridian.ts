import type { Bbox } from './bbox.ts';

/** The reverse of `splitAtAntimeridian`: its one or two parts as the box that they came from. `undefined` for no part. */
export function joinAtAntimeridian(parts: readonly Bbox[]): Bbox | undefined {
  const [first, second] = parts;
  return first && second ? { ...first, east: second.east } : first;
}
