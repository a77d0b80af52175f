'use client';

import { X } from 'lucide-react';
import { useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { STREET_MAP_HINT, streetMapCommand } from '#lib/client/page/region-map.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { IconButton } from './icon-button.tsx';
import { Popover } from './popover.tsx';

/** How an admin installs a street map: the command, in the settings and in a note on a map that has none. */
export function StreetMapCommand() {
  const { mapView, server } = useLookout();
  const command = streetMapCommand(server.mapFetchCommand, useValue(mapView));
  return (
    <div className="flex flex-col gap-2">
      <p className="text-dim">
        Run this in Lookout’s folder on the server, with the date of a build from maps.protomaps.com/builds, and reload
        this page.
      </p>
      <code className="select-all rounded-control bg-raised p-2 text-caption [overflow-wrap:anywhere]">{command}</code>
      <div>
        <CopyButton text={command} label="Copy command" />
      </div>
    </div>
  );
}

/** The note on the map, until it is dismissed. */
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
