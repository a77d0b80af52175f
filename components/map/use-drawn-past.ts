'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useEffect } from 'react';
import { useIsReplaying } from '#lib/client/page/lookout-context.tsx';
import { useDrawnGaps } from './gaps/use-drawn-gaps.ts';
import { type TrailOptions, useDrawnTrails } from './trails/use-drawn-trails.ts';

/** What of a replay the map shows beside the picture at its moment: trails, and where something is missing. */
export function useDrawnPast(map: MapLibreMap | undefined, options: TrailOptions): void {
  const isReplaying = useIsReplaying();
  useDrawnGaps(map, options.theme);
  useDrawnTrails(map, options);

  useEffect(() => {
    // In a replay the arrow keys step through time.
    if (isReplaying) map?.keyboard.disable();
    else map?.keyboard.enable();
  }, [map, isReplaying]);
}
