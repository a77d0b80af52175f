'use client';

import { ChevronDown, ChevronUp, PanelRightClose, PanelRightOpen, X } from 'lucide-react';
import { Tabs } from 'radix-ui';
import { type PointerEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { SelectedTrack } from '#lib/client/display/display-summary.ts';
import { useDisplay, useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { emergencyClass, emergencyWords } from '#lib/model/emergency.ts';
import { NOT_REPORTED } from '#lib/model/measure-text.ts';
import { KIND_TEXT } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { AllowanceTab } from '../allowance/allowance-tab.tsx';
import { FilterTab } from '../filters/filter-tab.tsx';
import { ViewTab } from '../settings/view-tab.tsx';
import { FollowLost, TrackActions } from '../track-card/track-actions.tsx';
import { headValues } from '../track-card/track-fields.tsx';
import { SelectedMark, TrackTags } from '../track-card/track-mark.tsx';
import { TracksTab } from '../tracks/tracks-tab.tsx';
import { classNames } from '../ui/class-names.ts';
import { CoverageNotice } from '../ui/coverage-notice.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { nearestStop, type PanelTab, type SheetStop, type ShellState, sheetHeights } from './use-shell.ts';

const viewSections = () => import('./view-sections.tsx');

const ViewSections = onDemand('Saved views, overlays and coverage', () =>
  viewSections().then((module) => module.ViewSections),
);

const ZonesTab = onDemand('Zones and alarms', () =>
  import('../alarms/zones-tab.tsx').then((module) => module.ZonesTab),
);

const TABS: readonly { readonly value: PanelTab; readonly label: string }[] = [
  { value: 'tracks', label: 'Tracks' },
  { value: 'filter', label: 'Filter' },
  { value: 'zones', label: 'Zones' },
  { value: 'view', label: 'View' },
  { value: 'allowance', label: 'Allowance' },
];

/**
 * The panel: tracks, filter, zones, view and allowance. It is next to the map (`SidePanel`), or in a sheet below the map of a
 * small screen (`BottomSheet`).
 */
export function PanelTabs({ shell, children }: { readonly shell: ShellState; readonly children?: ReactNode }) {
  return (
    <Tabs.Root
      value={shell.tab}
      onValueChange={(value) => {
        const tab = TABS.find((candidate) => candidate.value === value);
        if (tab) shell.setTab(tab.value);
      }}
      className="flex min-h-0 flex-1 flex-col"
    >
      <div className="flex items-center justify-between border-line border-b pr-2 pl-4 phone:px-2">
        <Tabs.List aria-label="Panel" className="flex gap-4 phone:flex-1 phone:justify-between phone:gap-0">
          {TABS.map(({ value, label }) => (
            <Tabs.Trigger
              key={value}
              value={value}
              // The code is preloaded: late code would move what is below it, perhaps under the next click.
              onPointerEnter={value === 'view' ? () => viewSections().catch(() => undefined) : undefined}
              className="-mb-px h-10 border-transparent border-b-2 font-medium text-dim hover:text-text data-[state=active]:border-text data-[state=active]:text-text phone:h-11 phone:min-w-14"
            >
              {label}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {children}
      </div>
      <Tabs.Content value="tracks" tabIndex={-1} className="flex min-h-0 flex-1 flex-col data-[state=inactive]:hidden">
        <TracksTab
          oneAtATime={shell.oneAtATime}
          inSheet={shell.narrow}
          isWanted={shell.tableWanted}
          onReached={shell.tableReached}
        />
      </Tabs.Content>
      <Tabs.Content
        value="filter"
        tabIndex={-1}
        className="min-h-0 flex-1 overflow-y-auto data-[state=inactive]:hidden"
      >
        <FilterTab />
      </Tabs.Content>
      {/* It can be without a control: keys scroll it. */}
      <Tabs.Content
        value="zones"
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto -outline-offset-2 data-[state=inactive]:hidden"
      >
        <ZonesTab onShown={shell.uncoverMap} />
      </Tabs.Content>
      <Tabs.Content value="view" tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto data-[state=inactive]:hidden">
        <ViewSections onOpened={shell.uncoverMap} />
        <ViewTab narrow={shell.narrow} onHelp={() => shell.setHelpOpen(true)} />
      </Tabs.Content>
      {/* It can be without a control: keys scroll it. */}
      <Tabs.Content
        value="allowance"
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto -outline-offset-2 data-[state=inactive]:hidden"
      >
        <AllowanceTab onShown={shell.uncoverMap} />
      </Tabs.Content>
      {/* A phone needs the room for values. */}
      {!shell.narrow && (
        <footer className="border-line border-t px-4 py-2">
          <CoverageNotice />
        </footer>
      )}
    </Tabs.Root>
  );
}

/** The panel next to the map, or only the button that shows it. */
export function SidePanel({ shell }: { readonly shell: ShellState }) {
  if (!shell.panelOpen) {
    return (
      <aside aria-label="Panel, hidden" className="flex-1 shrink-0 border-line border-l bg-surface p-1">
        <IconButton
          look="quiet"
          label="Show the panel"
          shortcut="V"
          icon={<PanelRightOpen />}
          onClick={() => shell.setPanelOpen(true)}
        />
      </aside>
    );
  }
  return (
    <aside
      aria-label="Tracks, filter, zones, view and allowance"
      className="flex min-h-0 w-full flex-1 flex-col border-line border-l bg-surface"
    >
      <PanelTabs shell={shell}>
        <IconButton
          look="quiet"
          label="Hide the panel"
          shortcut="V"
          icon={<PanelRightClose />}
          onClick={() => shell.setPanelOpen(false)}
        />
      </PanelTabs>
    </aside>
  );
}

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
  const toggle = () => onStop(stop === 'peek' ? 'half' : 'peek');
  const onPointerUp = ({ type }: PointerEvent) => {
    if (!drag) return;
    setDrag(undefined);
    if (Math.abs(drag.heightPx - drag.startPx) >= TAP_PX) onStop(nearestStop(drag.heightPx, heights));
    else if (type === 'pointerup') toggle();
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
        <div className="flex h-14 items-center gap-2">
          <div className="max-h-full min-w-0 flex-1 overflow-hidden">{header}</div>
          <button
            type="button"
            aria-expanded={stop !== 'peek'}
            aria-label={stop === 'peek' ? `Expand: ${label}` : `Collapse: ${label}`}
            onPointerDown={(event) => event.stopPropagation()}
            onClick={toggle}
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
  const home = useValue(useLookout().home);
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
        {headValues(selected, shownAt, { units, home }).map(({ label, value }) => (
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
