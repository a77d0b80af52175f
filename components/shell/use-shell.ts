'use client';

import { useEffect, useEffectEvent, useRef, useState } from 'react';
import * as z from 'zod/mini';
import { LOW_SCREENS, SHEET_WIDTHS } from '#lib/client/browser/screens.ts';
import { useDisplay, useIsReplaying, useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { isReload, useWindowState } from '#lib/client/page/use-window-state.ts';
import { useShare } from '../share/use-share.ts';
import { useMediaQuery } from '../ui/use-media-query.ts';

const panelTabSchema = z.enum(['tracks', 'filter', 'zones', 'view', 'allowance']);

export type PanelTab = z.infer<typeof panelTabSchema>;

/** A sheet shows its header only, almost half the screen, or all below the top bar. */
const SHEET_STOPS = ['peek', 'half', 'full'] as const;
export type SheetStop = (typeof SHEET_STOPS)[number];

const sheetStopSchema = z.enum(SHEET_STOPS);

/** The state of the page's frame: which parts are open, which tab is shown, and what opens them. */
export function useShell() {
  const narrow = useMediaQuery(SHEET_WIDTHS);
  const isLow = useMediaQuery(LOW_SCREENS);
  /** Whether the panel has no space for both the table and the selected track. */
  const oneAtATime = narrow || isLow;
  const { display, replay } = useLookout();
  const [preferences, change] = usePreferences();
  const selectedRef = useDisplay((shown) => shown.selectedRef);
  const [sheetStop, setSheetStop] = useWindowState<SheetStop>('sheet', sheetStopSchema, 'peek');
  const [tab, setTab] = useWindowState<PanelTab>('tab', panelTabSchema, 'tracks');
  const [lowPanelOpen, setLowPanelOpen] = useState(false);
  const [helpOpen, setHelpOpen] = useState(false);
  const share = useShare();
  const [findOpen, setFindOpen] = useState(false);
  const [tableWanted, setTableWanted] = useState(false);
  const [tableReached] = useState(() => () => setTableWanted(false));

  const setPanelOpen = (open: boolean) => {
    if (narrow) setSheetStop(open ? 'half' : 'peek');
    else if (isLow) setLowPanelOpen(open);
    else change({ panelOpen: open });
  };

  const isFirst = useRef(true);
  useEffect(() => {
    // A reload makes no new selection.
    const isOld = isFirst.current && isReload();
    isFirst.current = false;
    if (selectedRef === undefined || isOld) return;
    setTab('tracks');
    setSheetStop((stop) => (stop === 'peek' ? 'half' : stop));
    setLowPanelOpen(true);
    change({ panelOpen: true });
  }, [selectedRef, change, setTab, setSheetStop]);

  const { zones } = useLookout();
  const openZones = () => {
    // A raised sheet has no room for a list of alarms below its head.
    if (zones.page.get() === 'alarms' && zones.draft.get() === undefined) setSheetStop('full');
    else setSheetStop((stop) => (stop === 'peek' ? 'half' : stop));
    setLowPanelOpen(true);
    change({ panelOpen: true });
    setTab('zones');
  };
  const tabsWanted = useValue(zones.tabsWanted);
  const shown = useRef(tabsWanted);
  const onZonesWanted = useEffectEvent(openZones);
  useEffect(() => {
    if (shown.current !== tabsWanted) onZonesWanted();
    shown.current = tabsWanted;
  }, [tabsWanted]);
  // The form comes back once the ground is drawn.
  const isDrawing = useValue(zones.draft)?.isDrawing === true;
  const wasDrawing = useRef(false);
  useEffect(() => {
    if (wasDrawing.current && !isDrawing && zones.draft.get() !== undefined) onZonesWanted();
    wasDrawing.current = isDrawing;
  }, [isDrawing, zones]);

  const isReplaying = useIsReplaying();
  const listsWindow = useValue(replay.tab) === 'tracks' && isReplaying;
  const onWindowListed = useEffectEvent(() => {
    setPanelOpen(true);
    setTab('tracks');
  });
  useEffect(() => {
    if (listsWindow) onWindowListed();
  }, [listsWindow]);

  // A raised sheet leaves too little map for the bar.
  useEffect(() => {
    if (isReplaying && narrow) setSheetStop('peek');
  }, [isReplaying, narrow, setSheetStop]);

  return {
    narrow,
    isLow,
    oneAtATime,
    panelOpen: narrow ? sheetStop !== 'peek' : isLow ? lowPanelOpen : preferences.panelOpen,
    setPanelOpen,
    sheetStop,
    setSheetStop,
    tab,
    setTab,
    helpOpen,
    setHelpOpen,
    share,
    findOpen,
    setFindOpen,
    openZones,
    openAllowance: () => {
      setPanelOpen(true);
      setTab('allowance');
    },
    goToTable: () => {
      setPanelOpen(true);
      setTab('tracks');
      if (oneAtATime) display.select(undefined);
      setTableWanted(true);
    },
    tableWanted,
    tableReached,
    uncoverMap: () => {
      if (narrow) setSheetStop('peek');
    },
  };
}

export type ShellState = ReturnType<typeof useShell>;

/** Panels wait no longer for a map that neither draws nor reports a problem. */
const WAIT_MS = 8000;

/**
 * True once the first marks are drawn, or none will be: panels then load their code. A linked replay needs its bar at
 * once.
 */
export function useOpened(): boolean {
  const { display, link, mapShown } = useLookout();
  const isShown = useValue(mapShown);
  const [isWaiting, setWaiting] = useState(link.replay === undefined);
  useEffect(() => {
    if (isShown || !isWaiting) return;
    const end = () => setWaiting(false);
    const timer = setTimeout(end, WAIT_MS);
    const unsubscribe = display.subscribe(() => {
      const { connection } = display.summary();
      if (connection.kind !== 'connecting' && display.picture().count === 0) end();
    });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, [isShown, isWaiting, display]);
  return isShown || !isWaiting;
}

type SheetHeights = Readonly<Record<SheetStop, number>>;

/**
 * @param peekPx height of the sheet's header
 * @param spacePx height of the screen below the top bar
 */
export function sheetHeights(peekPx: number, spacePx: number): SheetHeights {
  return { peek: peekPx, half: Math.max(peekPx, Math.round(spacePx * 0.45)), full: Math.max(peekPx, spacePx) };
}

/** The stop nearest to `heightPx`, where the sheet was released. */
export function nearestStop(heightPx: number, heights: SheetHeights): SheetStop {
  return SHEET_STOPS.reduce((best, stop) =>
    Math.abs(heights[stop] - heightPx) < Math.abs(heights[best] - heightPx) ? stop : best,
  );
}
