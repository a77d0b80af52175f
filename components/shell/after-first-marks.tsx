'use client';

export { AlarmAnnouncer } from '../alarms/alarm-announcer.tsx';
export { HintStrip } from '../hints/hint-strip.tsx';
export { SpokenSummary } from '../summary/spoken-summary.tsx';
export { BottomSheet } from './bottom-sheet.tsx';
export { HelpSheet } from './help-sheet.tsx';
export { FloatingTools, MapTools } from './map-tools.tsx';
export { PanelTabs } from './panel-tabs.tsx';
export { SheetActions, SheetHead } from './sheet-head.tsx';
export { SidePanel } from './side-panel.tsx';
export { TopBar } from './top-bar.tsx';
