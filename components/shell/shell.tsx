'use client';

import './shell.css';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { NOTHING_DRAWN } from '#lib/client/area/drawing-state.ts';
import { NOTHING_MEASURED } from '#lib/client/measuring/measuring-state.ts';
import { useTheme } from '#lib/client/page/desk.tsx';
import { useIsReplaying, useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { drawnArea } from '#lib/filter/track-filter.ts';
import { Find } from '../find/find.tsx';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { Boundary } from '../ui/failure.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { BarSkeleton, PanelSkeleton } from './skeletons.tsx';
import type { HelpTopic } from './topic-of-path.ts';
import { sheetHeights, useOpened, useShell } from './use-shell.ts';

const afterFirstMarks = () => import('./after-first-marks.tsx');

const TopBar = onDemand('The bar', () => afterFirstMarks().then((module) => module.TopBar), BarSkeleton);

const Clock = onDemand(undefined, () => afterFirstMarks().then((module) => module.Clock));

const HintStrip = onDemand(undefined, () => afterFirstMarks().then((module) => module.HintStrip));

const MapTools = onDemand('The map’s tools', () => afterFirstMarks().then((module) => module.MapTools));

const FloatingTools = onDemand('The map’s tools', () => afterFirstMarks().then((module) => module.FloatingTools));

const SidePanel = onDemand(
  'The panel',
  () => afterFirstMarks().then((module) => module.SidePanel),
  ({ shell }) => shell.panelOpen && <PanelSkeleton />,
);

const BottomSheet = onDemand('The panel', () => afterFirstMarks().then((module) => module.BottomSheet));

const PanelTabs = onDemand('The panel', () => afterFirstMarks().then((module) => module.PanelTabs));

const SheetActions = onDemand(undefined, () => afterFirstMarks().then((module) => module.SheetActions));

const SheetHead = onDemand(undefined, () => afterFirstMarks().then((module) => module.SheetHead));

const ReplayPlate = onDemand(undefined, () => afterFirstMarks().then((module) => module.ReplayPlate));

const NoticeList = onDemand(undefined, () => afterFirstMarks().then((module) => module.NoticeList));

const FailureNotices = onDemand(undefined, () => afterFirstMarks().then((module) => module.FailureNotices));

const LayerFailures = onDemand(undefined, () => afterFirstMarks().then((module) => module.LayerFailures));

const LayerStates = onDemand(undefined, () => afterFirstMarks().then((module) => module.LayerStates));

const FilterLine = onDemand(undefined, () => afterFirstMarks().then((module) => module.FilterLine));

const FilterNotes = onDemand(undefined, () => afterFirstMarks().then((module) => module.FilterNotes));

const EmergencyAlert = onDemand(undefined, () => afterFirstMarks().then((module) => module.EmergencyAlert));

const Shortcuts = onDemand(undefined, () => afterFirstMarks().then((module) => module.Shortcuts), EarlyKeys);

const SpokenSummary = onDemand(undefined, () => afterFirstMarks().then((module) => module.SpokenSummary));

const AlarmAnnouncer = onDemand('Alarms', () => afterFirstMarks().then((module) => module.AlarmAnnouncer));

const HandOverDialog = onDemand(undefined, () => afterFirstMarks().then((module) => module.HandOverDialog));

const HelpSheet = onDemand('The help', () => import('./help-sheet.tsx').then((help) => help.HelpSheet));

const Printing = onDemand(undefined, () => import('../share/printing.tsx').then((module) => module.Printing));

const MeasuringStrip = onDemand('Measuring', () =>
  import('../measuring/measuring-strip.tsx').then((module) => module.MeasuringStrip),
);

const MyPositionStrip = onDemand('My position', () =>
  import('../my-position/my-position-strip.tsx').then((module) => module.MyPositionStrip),
);

const ZoneDrawingStrip = onDemand('Drawing zones', () =>
  import('../zones/zone-drawing-strip.tsx').then((module) => module.ZoneDrawingStrip),
);

const PermitDialog = onDemand('The permit', () =>
  import('../zones/permits/permit-dialog.tsx').then((module) => module.PermitDialog),
);

const IncidentDialogs = onDemand('Incidents', () =>
  import('../incidents/incident-dialogs.tsx').then((module) => module.IncidentDialogs),
);

const AreaStrip = onDemand('The area', () => import('../area/area-strip.tsx').then((module) => module.AreaStrip));

const ShareDialog = onDemand('Sharing', () => import('../share/share-dialog.tsx').then((module) => module.ShareDialog));

/** The height of a lowered sheet before it is measured, so that the map keeps its size. */
const FIRST_PEEK_PX = 73;

export interface ShellProps {
  readonly map: ReactNode;
  readonly dock: ReactNode;
  /** An extra line over the map, such as what happened while the tab was hidden. */
  readonly note?: string | undefined;
}

/**
 * The page: bar, notices, map, strips below it, and the panel next to it or as a sheet. Each part fails alone. Parts that
 * the first marks don't need are loaded after them.
 */
export function Shell({ map, dock, note }: ShellProps) {
  const shell = useShell();
  const [{ theme }] = usePreferences();
  useTheme(theme);
  const [earlyKeys] = useState<KeyboardEvent[]>([]);
  const isReplaying = useIsReplaying();
  const isOpened = useOpened();
  const canPrint = useLater(shell.share.moment !== undefined);
  const { ref: bodyRef, heightPx: spacePx } = useHeight();
  const topic = useTopic(shell.tab, isReplaying);
  const [peekPx, setPeekPx] = useState(FIRST_PEEK_PX);
  const heights = sheetHeights(peekPx, spacePx);
  const sheetPx = heights[shell.sheetStop === 'full' ? 'half' : shell.sheetStop];

  return (
    <div className="flex h-dvh flex-col overflow-hidden bg-background">
      <button type="button" className="skip-link" onClick={shell.goToTable}>
        Skip to the table of tracks
      </button>
      <Part what="The bar" className="border-line border-b bg-surface">
        <div className="min-h-[49px] bg-surface">
          {isOpened ? (
            <TopBar
              isNarrow={shell.narrow}
              onHelp={() => shell.setHelpOpen(true)}
              onAllowance={shell.openAllowance}
              onAlarms={shell.openZones}
              onShare={shell.share.start}
            />
          ) : (
            <BarSkeleton />
          )}
        </div>
      </Part>
      {isOpened && <HintStrip />}
      <div ref={bodyRef} className="relative flex min-h-0 flex-1">
        {/* Below the map, so that it hides nothing; at full height it covers the rest. */}
        <main
          data-replaying={isReplaying}
          className={classNames('main-column', isReplaying && 'border-2 border-warning')}
          style={{ marginBottom: shell.narrow ? sheetPx : 0 }}
        >
          <Part what="A notice about the picture" className="border-line border-b bg-surface">
            <NoticeStrip
              plate={isOpened && <ReplayPlate />}
              filter={isOpened && <FilterLine />}
              clock={isOpened && shell.narrow && <Clock isLine />}
            >
              {isOpened && (
                <>
                  <NoticeList note={note} />
                  <LayerStates />
                  <FilterNotes />
                </>
              )}
            </NoticeStrip>
          </Part>
          <div className="stage">
            <Part what="The map’s tools" className="w-32 border-line border-r bg-surface">
              {shell.narrow || shell.isLow ? (
                isOpened && <FloatingTools onShare={shell.share.start} onFind={() => shell.setFindOpen(true)} />
              ) : (
                <div className="map-tools-place flex bg-surface">
                  {isOpened && <MapTools onFind={() => shell.setFindOpen(true)} />}
                </div>
              )}
            </Part>
            <div className="relative min-w-0 flex-1">
              <Part what="The map" className="h-full justify-center">
                {map}
              </Part>
              {isOpened && (
                <div translate="no" className="failure-lines">
                  <FailureNotices />
                  <LayerFailures />
                </div>
              )}
            </div>
          </div>
          <Part what="My position" className="border-line border-t bg-surface">
            <OpenedMyPosition />
          </Part>
          <Part what="Measuring" className="border-line border-t bg-surface">
            <OpenedMeasuring />
          </Part>
          <Part what="The area" className="border-line border-t bg-surface">
            <OpenedArea />
          </Part>
          <Part what="Drawing zones" className="border-line border-t bg-surface">
            <OpenedZoneDrawing />
          </Part>
          <Part what="The replay bar" className="border-warning border-t-2 bg-surface">
            {dock}
          </Part>
        </main>
        <Part
          what="The panel"
          className="w-[372px] shrink-0 border-line border-l bg-surface tablet:w-80 phone:w-auto phone:flex-1"
        >
          {shell.narrow ? (
            isOpened && (
              <BottomSheet
                label="Tracks, filter, zones, view and allowance"
                stop={shell.sheetStop}
                onStop={shell.setSheetStop}
                spacePx={spacePx}
                onPeek={setPeekPx}
                header={<SheetHead />}
              >
                <SheetActions />
                <PanelTabs shell={shell} />
              </BottomSheet>
            )
          ) : (
            <div
              className={classNames(
                'flex shrink-0 flex-col bg-surface',
                shell.panelOpen ? 'w-[372px] tablet:w-80' : 'min-w-[41px]',
              )}
            >
              {isOpened ? <SidePanel shell={shell} /> : shell.panelOpen && <PanelSkeleton />}
            </div>
          )}
        </Part>
      </div>
      {shell.findOpen && (
        <Boundary what="The search">
          <Find onClose={() => shell.setFindOpen(false)} />
        </Boundary>
      )}
      {shell.share.moment && <ShareDialog share={shell.share} />}
      <OpenedPermit onDraw={shell.uncoverMap} />
      <OpenedIncidents onShown={shell.uncoverMap} />
      {canPrint && <Printing />}
      {isOpened ? <Shortcuts shell={shell} early={earlyKeys} /> : <EarlyKeys early={earlyKeys} />}
      {isOpened && <EmergencyAlert />}
      {isOpened && <AlarmAnnouncer />}
      {isOpened && <HandOverDialog />}
      {isOpened && <SpokenSummary />}
      {isOpened && shell.helpOpen && <HelpSheet open onOpenChange={shell.setHelpOpen} topic={topic} />}
    </div>
  );
}

/** Keeps the keys that are pressed before the code of shortcuts arrives. */
function EarlyKeys({ early }: { readonly early: KeyboardEvent[] }) {
  useEffect(() => {
    const keep = (event: KeyboardEvent) => early.push(event);
    window.addEventListener('keydown', keep);
    return () => window.removeEventListener('keydown', keep);
  }, [early]);
  return null;
}

const QUIET_AFTER_MS = 5000;

function OpenedMeasuring() {
  const { measuring } = useLookout();
  const state = useValue(measuring.state);
  return state !== NOTHING_MEASURED && <MeasuringStrip />;
}

function OpenedMyPosition() {
  const { myPosition } = useLookout();
  return useValue(myPosition.state).kind !== 'off' && <MyPositionStrip />;
}

function OpenedArea() {
  const { drawing, filter } = useLookout();
  const isDrawing = useValue(drawing) !== NOTHING_DRAWN;
  const hasArea = drawnArea(useValue(filter)) !== undefined;
  return (isDrawing || hasArea) && <AreaStrip />;
}

function OpenedZoneDrawing() {
  const { zones } = useLookout();
  return useValue(zones.draft)?.isDrawing === true && <ZoneDrawingStrip />;
}

function OpenedPermit({ onDraw }: { readonly onDraw: () => void }) {
  const { zones } = useLookout();
  return (
    useValue(zones.permitting) !== undefined && (
      <Boundary what="The permit">
        <PermitDialog onDraw={onDraw} />
      </Boundary>
    )
  );
}

function OpenedIncidents({ onShown }: { readonly onShown: () => void }) {
  const { incidents } = useLookout();
  return (
    useValue(incidents) !== undefined && (
      <Boundary what="Incidents">
        <IncidentDialogs onShown={onShown} />
      </Boundary>
    )
  );
}

interface PartProps {
  readonly what: string;
  readonly className: string;
  readonly children: ReactNode;
}

/** A part that fails alone; in a replay it then offers the way back to live. */
function Part({ what, className, children }: PartProps) {
  const { replay } = useLookout();
  const isReplaying = useIsReplaying();
  return (
    <Boundary
      what={what}
      resetKey={isReplaying}
      wayOut={isReplaying && <Button onClick={() => replay.leave()}>Back to live</Button>}
      className={className}
    >
      {children}
    </Boundary>
  );
}

/** Whether the page had time to draw, or the part was needed: true for good. */
function useLater(isNeeded: boolean): boolean {
  const [isLater, setIsLater] = useState(isNeeded);
  if (isNeeded && !isLater) setIsLater(true);
  useEffect(() => {
    const timer = setTimeout(() => setIsLater(true), QUIET_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return isLater;
}

function useHeight() {
  const ref = useRef<HTMLDivElement>(null);
  const [heightPx, setHeightPx] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setHeightPx(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, heightPx };
}

interface NoticeStripProps {
  readonly plate: ReactNode;
  readonly filter: ReactNode;
  readonly clock: ReactNode;
  /** Those that don't fit are one click away. */
  readonly children: ReactNode;
}

/** The strip above the map: replay plate and filter, which nothing hides, and notices. Its height is reserved, so that the map never moves. */
function NoticeStrip({ plate, filter, clock, children }: NoticeStripProps) {
  const items = useRef<HTMLDivElement>(null);
  const [isCut, setCut] = useState(false);
  const [isOpen, setOpen] = useState(false);

  useLayoutEffect(() => {
    const element = items.current;
    if (!element) return;
    const measure = () => {
      const strip = element.parentElement;
      if (!strip) return;
      // It is measured closed and without the button, since notices may fit only in its place.
      strip.dataset.measuring = '';
      setCut(element.scrollHeight > element.clientHeight);
      delete strip.dataset.measuring;
    };
    measure();
    const sizes = new ResizeObserver(measure);
    const contents = new MutationObserver(measure);
    sizes.observe(element);
    contents.observe(element, { childList: true, characterData: true, subtree: true });
    return () => {
      sizes.disconnect();
      contents.disconnect();
    };
  }, []);

  const isExpanded = isOpen && isCut;
  const Chevron = isExpanded ? ChevronUp : ChevronDown;
  return (
    <div className="strip" data-open={isExpanded} data-cut={isCut}>
      {plate}
      {filter}
      {/* Keys scroll it. */}
      <div ref={items} className="strip-items" {...(isExpanded && { tabIndex: 0 })}>
        {children}
      </div>
      {isCut && (
        <Button
          look="quiet"
          shape="small-text"
          aria-expanded={isExpanded}
          className="strip-more"
          onClick={() => setOpen(!isOpen)}
        >
          <span className="phone:sr-only">{isExpanded ? 'Less' : 'More'}</span>
          <Chevron aria-hidden size={14} />
        </Button>
      )}
      {clock && <div className="strip-clock">{clock}</div>}
    </div>
  );
}

/** The topic at which the help opens: that of the open tab, or of the replay. */
function useTopic(tab: ReturnType<typeof useShell>['tab'], isReplaying: boolean): HelpTopic | undefined {
  const page = useValue(useLookout().zones.page);
  if (tab === 'zones') return page === 'zones' || page === 'permits' ? page : 'alarms';
  return isReplaying ? 'answers' : undefined;
}
