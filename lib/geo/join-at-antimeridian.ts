import type { Bbox } from './bbox.ts';

export function joinAtAntimeridian(parts: readonly Bbox[]): Bbox | undefined {
  const [first, second] = parts;
  return first && second ? { ...first, east: second.east } : first;
}
