'use client';

import { PanelRightClose, PanelRightOpen } from 'lucide-react';
import { IconButton } from '../ui/icon-button.tsx';
import { PanelTabs } from './panel-tabs.tsx';
import type { ShellState } from './use-shell.ts';

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
