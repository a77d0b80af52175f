import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';

/** Each pruning visits all candidates. */
const PRUNE_EVERY = 32;

/** From west to east. None crosses 180°. */
export function outermostBoxes(boxes: readonly Bbox[]): readonly Bbox[] {
  const outermost: Bbox[] = [];
  /** Only they can contain the current box. */
  let reaching: Bbox[] = [];
  for (const [index, box] of boxes.toSorted(containersFirst).entries()) {
    if (index % PRUNE_EVERY === 0) reaching = reaching.filter(({ east }) => east > box.west);
    if (reaching.some((other) => contains(other, box))) continue;
    reaching.push(box);
    outermost.push(box);
  }
  return outermost;
}

/** A box comes after every one that contains it. */
function containersFirst(a: Bbox, b: Bbox): number {
  return a.west - b.west || b.east - a.east || a.south - b.south || b.north - a.north;
}

/** `bboxCovers` without the cases of 180°: called millions of times. */
function contains(outer: Bbox, inner: Bbox): boolean {
  return (
    inner.west >= outer.west && inner.east <= outer.east && inner.south >= outer.south && inner.north <= outer.north
  );
}
