'use client';

import { useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import { streetMapCommand } from '#lib/client/page/region-map.ts';
import { CopyButton } from './copy-button.tsx';

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
