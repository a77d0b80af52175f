'use client';

import { X } from 'lucide-react';
import { usePreferences } from '#lib/client/page/lookout-context.tsx';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Popover } from '../ui/popover.tsx';
import { StreetMapCommand } from '../ui/street-map-command.tsx';
import { STREET_MAP_HINT } from './use-is-ground-thin.ts';

export function NoStreetMap() {
  const [{ hintsSeen }, change] = usePreferences();
  return (
    <aside aria-label="Street map" data-testid="no-street-map" className="map-ground">
      <Popover
        label="Install a street map"
        side="top"
        trigger={
          <Button look="quiet" shape="small-text">
            No street map installed
          </Button>
        }
      >
        <h3 className="mb-1 font-semibold">No street map installed</h3>
        <StreetMapCommand />
      </Popover>
      <IconButton
        label="Dismiss"
        icon={<X />}
        look="quiet"
        shape="small-icon"
        onClick={() => change({ hintsSeen: [...hintsSeen, STREET_MAP_HINT] })}
      />
    </aside>
  );
}
