interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * The pan, in CSS pixels, that shows a point again after the map was resized around its middle.
 * @param point from the upper left of the resized map
 * @param marginPx on a smaller map the point comes to the middle
 */
export function panIntoView(
  point: { readonly x: number; readonly y: number },
  before: Size,
  now: Size,
  marginPx: number,
): [number, number] {
  const wasIn = (at: number, was: number, is: number) => Math.abs(at - is / 2) <= was / 2;
  if (!wasIn(point.x, before.width, now.width) || !wasIn(point.y, before.height, now.height)) return [0, 0];
  // A side that did not shrink keeps the point where the operator had it.
  return [
    now.width < before.width ? excess(point.x, now.width, marginPx) : 0,
    now.height < before.height ? excess(point.y, now.height, marginPx) : 0,
  ];
}

function excess(at: number, length: number, marginPx: number): number {
  const margin = Math.min(marginPx, length / 2);
  return at < margin ? at - margin : Math.max(0, at - (length - margin));
}
