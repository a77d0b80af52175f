import type { Bbox } from '#lib/geo/bbox.ts';

interface Boxed {
  readonly box: Bbox;
}

/** Joins neighbours that are alike into larger boxes: along rows, then along columns. */
export function joinedBoxes<Item extends Boxed>(
  items: readonly Item[],
  isAlike: (one: Item, other: Item) => boolean,
): readonly Item[] {
  const along = joinedAlong(items, isAlike, 'south', 'north', 'west', 'east');
  return joinedAlong(along, isAlike, 'west', 'east', 'south', 'north');
}

type Edge = keyof Bbox;

function joinedAlong<Item extends Boxed>(
  items: readonly Item[],
  isAlike: (one: Item, other: Item) => boolean,
  ...[low, high, start, end]: [Edge, Edge, Edge, Edge]
): readonly Item[] {
  const ordered = items.toSorted(
    ({ box: one }, { box: other }) => one[low] - other[low] || one[high] - other[high] || one[start] - other[start],
  );
  const joined: Item[] = [];
  for (const item of ordered) {
    const last = joined.at(-1);
    const isNext =
      last !== undefined &&
      last.box[low] === item.box[low] &&
      last.box[high] === item.box[high] &&
      last.box[end] === item.box[start];
    if (isNext && isAlike(last, item))
      joined[joined.length - 1] = { ...last, box: { ...last.box, [end]: item.box[end] } };
    else joined.push(item);
  }
  return joined;
}
