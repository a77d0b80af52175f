'use client';

/** The page loads these as one file once its first marks are drawn. */
export { AlarmAnnouncer } from '../alarms/alarm-announcer.tsx';
export { HintStrip } from '../hints/hint-strip.tsx';
export { SpokenSummary } from '../summary/spoken-summary.tsx';
export { FloatingTools, MapTools } from './map-tools.tsx';
export { BottomSheet, PanelTabs, SheetActions, SheetHead, SidePanel } from './panel.tsx';
export { TopBar } from './top-bar.tsx';
