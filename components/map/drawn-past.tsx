'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useDrawnGaps } from './gaps/use-drawn-gaps.ts';
import { type TrailOptions, useDrawnTrails } from './trails/use-replay-trails.ts';

export function DrawnPast({ map, ...options }: TrailOptions & { readonly map: MapLibreMap }) {
  useDrawnGaps(map, options.theme);
  useDrawnTrails(map, options);
  return null;
}
