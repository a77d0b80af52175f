'use client';

import { PanelRightClose, PanelRightOpen } from 'lucide-react';
import { FilterLine } from '../filters/filter-line.tsx';
import { LayerStates } from '../layers/layer-states.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { PanelTabs } from './panel-tabs.tsx';
import type { ShellState } from './use-shell.ts';

/** The panel beside the map. While it is closed, the state of the layers stays visible on the map. */
export function SidePanel({ shell }: { readonly shell: ShellState }) {
  if (!shell.panelOpen) {
    return (
      <aside
        aria-label="Layers"
        className="absolute top-3 right-3 z-10 flex max-w-[300px] items-start gap-2 rounded-card border border-line bg-surface p-2 pl-3"
      >
        <div className="py-1">
          <LayerStates />
          <FilterLine />
        </div>
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
      aria-label="Tracks, filter, view and allowance"
      className="flex w-[372px] shrink-0 flex-col border-line border-l bg-surface"
    >
      <div className="border-line border-b px-4 py-3">
        <LayerStates />
        <FilterLine />
      </div>
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
