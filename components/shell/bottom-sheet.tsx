'use client';

import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { type PointerEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { SelectedTrack } from '#lib/client/display/display-summary.ts';
import { useDisplay, useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { emergencyClass, emergencyWords } from '#lib/model/emergency.ts';
import { KIND_TEXT } from '#lib/model/layer-kind.ts';
import { NOT_REPORTED } from '#lib/model/measure-text.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { FollowLost, TrackActions } from '../track-card/track-actions.tsx';
import { headValues } from '../track-card/track-fields.tsx';
import { SelectedMark, TrackTags } from '../track-card/track-mark.tsx';
import { classNames } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { nearestStop, type SheetStop, sheetHeights } from './sheet-stops.ts';

interface BottomSheetProps {
  readonly stop: SheetStop;
  readonly onStop: (stop: SheetStop) => void;
  readonly spacePx: number;
  /** Called with the header's new height, the sheet's least height. */
  readonly onPeek: (peekPx: number) => void;
  readonly label: string;
  readonly header: ReactNode;
  readonly children: ReactNode;
}

/** A shorter movement is a tap, in CSS pixels. */
const TAP_PX = 6;

/**
 * The panel of a small screen: dragged or tapped to one of three heights, below the map. The map stays usable: there is no
 * backdrop, and the focus is not trapped.
 */
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

/** The head of the sheet: the selected track. */
export function SheetHead() {
  const { selected, selectedRef, selection, shownAt } = useDisplay();
  const others = selection.refs.length - 1;
  if (selectedRef === undefined) {
    return <p className="text-dim">Tracks, zones and view</p>;
  }
  if (!selected || shownAt === undefined) {
    return (
      <p className="truncate font-mono font-semibold" data-testid="track-reference" title={selectedRef}>
        {shortReference(selectedRef)} <SeveralSelected others={others} />
      </p>
    );
  }
  return <KnownTrackHead selected={selected} shownAt={shownAt} others={others} />;
}

interface KnownTrackHeadProps {
  readonly selected: SelectedTrack;
  readonly shownAt: UpstreamInstant;
  readonly others: number;
}

function KnownTrackHead({ selected, shownAt, others }: KnownTrackHeadProps) {
  const [{ units }] = usePreferences();
  const { position } = selected;
  return (
    <div translate="no" className="flex flex-col gap-0.5" data-testid="sheet-track">
      <div className="flex h-6 items-center gap-1.5">
        <SelectedMark track={selected} shownAt={shownAt} sizePx={24} />
        <span className="font-semibold">{KIND_TEXT[position.kind]}</span>
        <span className="font-mono" data-testid="track-reference" title={position.ref}>
          {shortReference(position.ref)}
        </span>
        <TrackTags position={position} />
        <SeveralSelected others={others} />
        {emergencyClass(position.emergencyState) === 'emergency' && (
          <strong className="truncate text-bad text-table">{emergencyWords(position.emergencyState ?? '')}</strong>
        )}
      </div>
      <dl className="grid grid-cols-4 gap-x-2">
        {headValues(selected, shownAt, units).map(({ label, value }) => (
          <div key={label} className="min-w-0">
            <dt className="truncate text-dim text-label leading-3">{label}</dt>
            <dd className="truncate font-semibold" {...(value === undefined && { title: NOT_REPORTED })}>
              {value ?? <span className="font-normal text-dim text-table italic">{NOT_REPORTED}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function SeveralSelected({ others }: { readonly others: number }) {
  if (others < 1) return null;
  return <span className="whitespace-nowrap font-normal font-sans text-dim text-table">· {others + 1} selected</span>;
}

/** Actions on the selected track, at the top of the raised sheet. */
export function SheetActions() {
  const { display } = useLookout();
  const { selected, selectedRef } = useDisplay();
  if (selectedRef === undefined) return null;
  return (
    <div className="flex flex-wrap items-center border-line border-b px-4 py-1">
      {selected && <TrackActions position={selected.position} />}
      <IconButton
        look="quiet"
        label="Close: clear the selection"
        shortcut="Escape"
        icon={<X />}
        onClick={() => display.select(undefined)}
        className="-mr-2 ml-auto"
      />
      {selected && <FollowLost />}
    </div>
  );
}
