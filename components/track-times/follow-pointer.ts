export interface PointerTarget {
  point(xPx: number | undefined): void;
  seek(xPx: number): void;
}

/** CSS pixels; below this a touch may still become a scroll. */
const DRAG_PX = 6;

/**
 * A mouse hovers, and presses or drags to seek; a touch taps or drags horizontally, which needs `touch-action: pan-y`.
 * @returns stops following
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
      // A touch leaves with every tap: its point stays.
      if (event.pointerType !== 'touch') target.point(undefined);
    },
    { signal },
  );
  return () => ending.abort();
}
