import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';

/** Boxes between two looks at which of those before reach far enough: each look goes through all of them. */
const PRUNE_EVERY = 32;

/** The boxes that lie in no other one, each once, from west to east whatever order they came in. None crosses 180°. */
export function outermostBoxes(boxes: readonly Bbox[]): readonly Bbox[] {
  const outermost: Bbox[] = [];
  /** Those of them that may reach as far east as the box that is looked at: only they can hold it. */
  let reaching: Bbox[] = [];
  for (const [index, box] of boxes.toSorted(holdersFirst).entries()) {
    if (index % PRUNE_EVERY === 0) reaching = reaching.filter(({ east }) => east > box.west);
    if (reaching.some((other) => holds(other, box))) continue;
    reaching.push(box);
    outermost.push(box);
  }
  return outermost;
}

/** A box comes after every one that holds it. */
function holdersFirst(a: Bbox, b: Bbox): number {
  return a.west - b.west || b.east - a.east || a.south - b.south || b.north - a.north;
}

/** `bboxCovers` without the cases of 180°: this is asked millions of times. */
function holds(outer: Bbox, inner: Bbox): boolean {
  return (
    inner.west >= outer.west && inner.east <= outer.east && inner.south >= outer.south && inner.north <= outer.north
  );
}
