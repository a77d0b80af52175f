'use client';

import { PanelRightClose, PanelRightOpen } from 'lucide-react';
import { Tabs } from 'radix-ui';
import type { ReactNode } from 'react';
import { AllowanceTab } from '../allowance/allowance-tab.tsx';
import { FilterTab } from '../filters/filter-tab.tsx';
import { ViewTab } from '../settings/view-tab.tsx';
import { TracksTab } from '../tracks/tracks-tab.tsx';
import { CoverageNotice } from '../ui/coverage-notice.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import type { PanelTab, ShellState } from './use-shell.ts';

const kept = () => import('./first-sections.tsx');

const SavedViewsSection = onDemand('Saved views', () => kept().then((sections) => sections.SavedViewsSection));

const ZonesTab = onDemand('Zones and alarms', () => import('./zones-tab.tsx').then((module) => module.ZonesTab));

const CoverageSection = onDemand('Coverage', () => kept().then((sections) => sections.CoverageSection));

const OverlaysSection = onDemand('Overlays', () => kept().then((sections) => sections.OverlaysSection));

const TABS: readonly { readonly value: PanelTab; readonly label: string }[] = [
  { value: 'tracks', label: 'Tracks' },
  { value: 'filter', label: 'Filter' },
  { value: 'zones', label: 'Zones' },
  { value: 'view', label: 'View' },
  { value: 'allowance', label: 'Allowance' },
];

/** The tabs of the panel, next to the map or in the sheet of a small screen. */
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
              // Preloads: late code would move what is below it, perhaps under the next click.
              onPointerEnter={value === 'view' ? () => kept().catch(() => undefined) : undefined}
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
        <div className="flex flex-col gap-4 p-4 pb-0">
          <SavedViewsSection onOpened={shell.uncoverMap} />
          <OverlaysSection />
          <CoverageSection />
        </div>
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
