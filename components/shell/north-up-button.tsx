'use client';

import { useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import { IconButton } from '../ui/icon-button.tsx';

/** A compass needle that points to north on the map as it is turned now. Apart, because it follows every turn. */
export function NorthUpButton() {
  const { mapCommands, mapView } = useLookout();
  const { bearingDeg } = useValue(mapView);
  return (
    <IconButton
      look="quiet"
      tooltipSide="right"
      label="North up"
      shape="tool"
      onClick={() => mapCommands.run({ kind: 'north-up' })}
      icon={
        <svg aria-hidden viewBox="0 0 16 16">
          <g transform={`rotate(${-bearingDeg} 8 8)`} stroke="currentColor" strokeLinejoin="round">
            <path d="M8 1 11 8H5Z" fill="currentColor" />
            <path d="M8 15 11 8H5Z" fill="none" />
          </g>
        </svg>
      }
    />
  );
}
