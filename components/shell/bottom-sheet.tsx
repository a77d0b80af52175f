'use client';

import { ChevronDown, ChevronUp } from 'lucide-react';
import { type PointerEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { classNames } from '../ui/class-names.ts';
import { nearestStop, type SheetStop, sheetHeights } from './sheet-stops.ts';

export interface BottomSheetProps {
  readonly stop: SheetStop;
  readonly onStop: (stop: SheetStop) => void;
  readonly spacePx: number;
  /** Called with the header's new height, the sheet's least height. */
  readonly onPeek: (peekPx: number) => void;
  readonly label: string;
  readonly header: ReactNode;
  readonly children: ReactNode;
}

/** A shorter movement is a tap, CSS pixels. */
const TAP_PX = 6;

/** The map stays usable: no backdrop, no trapped focus. */
export function BottomSheet({ stop, onStop, spacePx, onPeek, label, header, children }: BottomSheetProps) {
  const headerRef = useRef<HTMLElement>(null);
  const [peekPx, setPeekPx] = useState(0);
  const [drag, setDrag] = useState<{ readonly startY: number; readonly startPx: number; readonly heightPx: number }>();
  const heights = sheetHeights(peekPx, spacePx);
  const heightPx = drag?.heightPx ?? heights[stop];

  useLayoutEffect(() => {
    const element = headerRef.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setPeekPx(element.offsetHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    if (peekPx > 0) onPeek(peekPx);
  }, [onPeek, peekPx]);

  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (!event.isPrimary) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setDrag({ startY: event.clientY, startPx: heightPx, heightPx });
  };
  const onPointerMove = (event: PointerEvent) => {
    if (!drag) return;
    const targetPx = drag.startPx + drag.startY - event.clientY;
    setDrag({ ...drag, heightPx: Math.min(Math.max(targetPx, heights.peek), heights.full) });
  };
  const onPointerUp = () => {
    if (!drag) return;
    setDrag(undefined);
    if (Math.abs(drag.heightPx - drag.startPx) >= TAP_PX) onStop(nearestStop(drag.heightPx, heights));
  };

  const isUp = stop !== 'peek' || drag !== undefined;
  const Chevron = stop === 'peek' ? ChevronUp : ChevronDown;
  return (
    <section
      aria-label={label}
      data-testid="sheet"
      data-stop={stop}
      style={{ height: peekPx === 0 ? 'auto' : heightPx }}
      className={classNames(
        'absolute inset-x-0 bottom-0 z-20 flex flex-col overflow-hidden border-edge border-t bg-surface',
        isUp && 'rounded-t-[14px]',
        drag === undefined && 'transition-[height] duration-200',
      )}
    >
      <header
        ref={headerRef}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={onPointerUp}
        className="relative shrink-0 touch-none border-line border-b px-4 pt-2.5 pb-1.5"
      >
        <span aria-hidden className="absolute top-1.5 left-1/2 h-1 w-9 -translate-x-1/2 rounded-full bg-muted" />
        {/* Fixed height: selecting a track must not move the map. */}
        <div className="flex min-h-14 items-center gap-2">
          <div className="min-w-0 flex-1">{header}</div>
          <button
            type="button"
            aria-expanded={stop !== 'peek'}
            aria-label={stop === 'peek' ? `Expand: ${label}` : `Collapse: ${label}`}
            onPointerDown={(event) => event.stopPropagation()}
            onClick={() => onStop(stop === 'peek' ? 'half' : 'peek')}
            className="-mr-2 flex size-11 shrink-0 items-center justify-center rounded-control text-dim"
          >
            <Chevron aria-hidden size={20} />
          </button>
        </div>
      </header>
      {isUp && <div className="flex min-h-0 flex-1 flex-col">{children}</div>}
    </section>
  );
}
