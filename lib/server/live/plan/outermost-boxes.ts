import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';

/** Boxes between two prunings of the candidates: each pruning visits all of them. */
const PRUNE_EVERY = 32;

/** The boxes that lie in no other one, each once, from west to east whatever their order. None crosses 180°. */
export function outermostBoxes(boxes: readonly Bbox[]): readonly Bbox[] {
  const outermost: Bbox[] = [];
  /** Those that may reach as far east as the current box: only they can contain it. */
  let reaching: Bbox[] = [];
  for (const [index, box] of boxes.toSorted(containersFirst).entries()) {
    if (index % PRUNE_EVERY === 0) reaching = reaching.filter(({ east }) => east > box.west);
    if (reaching.some((other) => contains(other, box))) continue;
    reaching.push(box);
    outermost.push(box);
  }
  return outermost;
}

/** Orders a box after every one that contains it. */
function containersFirst(a: Bbox, b: Bbox): number {
  return a.west - b.west || b.east - a.east || a.south - b.south || b.north - a.north;
}

/** `bboxCovers` without the cases of 180°: it is called millions of times. */
function contains(outer: Bbox, inner: Bbox): boolean {
  return (
    inner.west >= outer.west && inner.east <= outer.east && inner.south >= outer.south && inner.north <= outer.north
  );
}
