'use client';

import { type RefObject, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useDisplay, useIsReplaying, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { useMediaQuery } from '../ui/use-media-query.ts';
import type { SheetStop } from './sheet-stops.ts';

export type PanelTab = 'tracks' | 'view' | 'allowance';

/** What of the shell is open. On a small screen the panel is a sheet; there, and in a replay, the legend is folded until asked for. */
export interface ShellState {
  readonly narrow: boolean;
  readonly panelOpen: boolean;
  readonly setPanelOpen: (open: boolean) => void;
  readonly sheetStop: SheetStop;
  readonly setSheetStop: (stop: SheetStop) => void;
  readonly tab: PanelTab;
  readonly setTab: (tab: PanelTab) => void;
  readonly legendOpen: boolean;
  readonly setLegendOpen: (open: boolean) => void;
  readonly helpOpen: boolean;
  readonly setHelpOpen: (open: boolean) => void;
  readonly searchRef: RefObject<HTMLInputElement | null>;
  readonly focusSearch: () => void;
  readonly openAllowance: () => void;
  /** On a small screen the sheet goes down, so that what was asked of the map is seen. */
  readonly uncoverMap: () => void;
}

export function useShell(): ShellState {
  const narrow = useMediaQuery('(max-width: 640px)');
  const [preferences, change] = usePreferences();
  const { selectedRef } = useDisplay();
  // There the legend would cover much of the map.
  const foldsLegend = useIsReplaying() || narrow;
  const [sheetStop, setSheetStop] = useState<SheetStop>('peek');
  const [tab, setTab] = useState<PanelTab>('tracks');
  const [foldedLegendOpen, setFoldedLegendOpen] = useState(false);
  const [helpOpen, setHelpOpen] = useState(false);
  const searchRef = useRef<HTMLInputElement | null>(null);

  const setPanelOpen = (open: boolean) => {
    if (narrow) setSheetStop(open ? 'half' : 'peek');
    else change({ panelOpen: open });
  };

  useEffect(() => {
    if (selectedRef === undefined) return;
    // Whoever picks a mark wants its details, wherever the panel was left.
    setTab('tracks');
    setSheetStop((stop) => (stop === 'peek' ? 'half' : stop));
    change({ panelOpen: true });
  }, [selectedRef, change]);

  return {
    narrow,
    panelOpen: narrow ? sheetStop !== 'peek' : preferences.panelOpen,
    setPanelOpen,
    sheetStop,
    setSheetStop,
    tab,
    setTab,
    legendOpen: foldsLegend ? foldedLegendOpen : preferences.legendOpen,
    setLegendOpen: (open) => (foldsLegend ? setFoldedLegendOpen(open) : change({ legendOpen: open })),
    helpOpen,
    setHelpOpen,
    searchRef,
    focusSearch: () => {
      // The field has to be there before it can take the focus.
      flushSync(() => {
        setPanelOpen(true);
        setTab('tracks');
      });
      searchRef.current?.focus();
    },
    openAllowance: () => {
      setPanelOpen(true);
      setTab('allowance');
    },
    uncoverMap: () => {
      if (narrow) setSheetStop('peek');
    },
  };
}
