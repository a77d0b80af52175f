export interface PointerTarget {
  /** The pointer is over this place, CSS pixels from the element's left edge; `undefined`: over none any more. */
  point(xPx: number | undefined): void;
  /** Pressed there, or dragged to there. */
  seek(xPx: number): void;
}

/** A finger that moved less than this across may still be about to scroll the page. */
const DRAG_PX = 6;

/**
 * A mouse points by hovering and seeks by pressing and dragging. A finger seeks by a tap or by dragging sideways; up and down
 * it scrolls, for which the element needs `touch-action: pan-y`. Returns how to stop.
 */
export function followPointer(element: HTMLElement, target: PointerTarget): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  let pressed: { readonly pointerId: number; readonly fromPx: number; isDrag: boolean } | undefined;
  const xOf = (event: PointerEvent) => event.clientX - element.getBoundingClientRect().left;
  const seek = (xPx: number) => {
    target.point(xPx);
    target.seek(xPx);
  };

  element.addEventListener(
    'pointerdown',
    (event) => {
      if (!event.isPrimary || event.button !== 0) return;
      const isDrag = event.pointerType !== 'touch';
      element.setPointerCapture(event.pointerId);
      pressed = { pointerId: event.pointerId, fromPx: xOf(event), isDrag };
      if (isDrag) seek(pressed.fromPx);
    },
    { signal },
  );
  element.addEventListener(
    'pointermove',
    (event) => {
      const xPx = xOf(event);
      if (pressed?.pointerId !== event.pointerId) {
        if (event.pointerType !== 'touch') target.point(xPx);
        return;
      }
      if (Math.abs(xPx - pressed.fromPx) >= DRAG_PX) pressed.isDrag = true;
      if (pressed.isDrag) seek(xPx);
    },
    { signal },
  );
  element.addEventListener(
    'pointerup',
    (event) => {
      if (pressed?.pointerId !== event.pointerId) return;
      if (!pressed.isDrag) seek(xOf(event));
      pressed = undefined;
    },
    { signal },
  );
  element.addEventListener(
    'pointercancel',
    () => {
      pressed = undefined;
    },
    { signal },
  );
  element.addEventListener(
    'pointerleave',
    (event) => {
      // A finger leaves with every tap: what it pointed at stays.
      if (event.pointerType !== 'touch') target.point(undefined);
    },
    { signal },
  );
  return () => ending.abort();
}
