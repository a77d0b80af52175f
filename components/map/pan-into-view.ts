interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * By how much the map has to be panned, so that a point that was in view before the map changed its size is in view again. Its middle stays
 * where it is when the map changes its size. All in CSS pixels.
 * @param point from the upper left of the map as it is now
 * @param marginPx how far from the edges the point is to be; on a smaller map it comes to the middle
 * @returns [0, 0] if nothing has to be done
 */
export function panIntoView(
  point: { readonly x: number; readonly y: number },
  before: Size,
  now: Size,
  marginPx: number,
): [number, number] {
  const wasIn = (at: number, was: number, is: number) => Math.abs(at - is / 2) <= was / 2;
  if (!wasIn(point.x, before.width, now.width) || !wasIn(point.y, before.height, now.height)) return [0, 0];
  // Along a side that did not shrink the point is where the operator had it.
  return [
    now.width < before.width ? excess(point.x, now.width, marginPx) : 0,
    now.height < before.height ? excess(point.y, now.height, marginPx) : 0,
  ];
}

function excess(at: number, length: number, marginPx: number): number {
  const margin = Math.min(marginPx, length / 2);
  return at < margin ? at - margin : Math.max(0, at - (length - margin));
}
