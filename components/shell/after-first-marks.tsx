'use client';

/** The page loads these as one file once its first marks are drawn. */
export { AlarmAnnouncer } from '../alarms/alarm-announcer.tsx';
export { HandOverDialog } from '../alarms/hand-over.tsx';
export { EmergencyAlert } from '../emergencies/emergency-alert.tsx';
export { FilterLine, FilterNotes } from '../filters/filter-line.tsx';
export { HintStrip } from '../hints/hint-strip.tsx';
export { LayerFailures, LayerStates } from '../layers/layer-states.tsx';
export { FailureNotices, NoticeList, ReplayPlate } from '../notices/notice-list.tsx';
export { SpokenSummary } from '../summary/spoken-summary.tsx';
export { FloatingTools, MapTools } from './map-tools.tsx';
export { BottomSheet, PanelTabs, SheetActions, SheetHead, SidePanel } from './panel.tsx';
export { Shortcuts } from './shortcuts.ts';
export { Clock, TopBar } from './top-bar.tsx';

// A replay opens at the press of its key.
import('#lib/client/replay/replay-session.ts').catch(() => undefined);
