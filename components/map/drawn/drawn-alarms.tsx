'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useMemo, useSyncExternalStore } from 'react';
import { stageOf, wasOpenAt } from '#lib/client/alarms/alarm-book.ts';
import type { Display } from '#lib/client/display/display.ts';
import { useDisplay, useLookout } from '#lib/client/page/lookout-context.tsx';
import { useAlarms } from '#lib/client/page/use-alarms.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { type FeatureLayers, TOKENS, useFeatures } from './feature-layers.ts';

const SOURCE = 'alarm-rings';

/** An alarm has two rings, since an emergency has one. An acknowledged alarm keeps the inner one. */
const ALARM_LAYERS: FeatureLayers = {
  source: SOURCE,
  layers(theme) {
    const { bad: ring, ground: casing } = TOKENS[theme];
    const circle = (id: string, radiusPx: number, colour: string, widthPx: number, isNew: boolean) => ({
      id,
      type: 'circle' as const,
      source: SOURCE,
      ...(isNew && { filter: ['get', 'isNew'] as ['get', string] }),
      paint: {
        'circle-radius': radiusPx,
        'circle-opacity': 0,
        'circle-stroke-color': colour,
        'circle-stroke-width': widthPx,
        'circle-stroke-opacity': colour === casing ? 0.7 : 1,
      },
    });
    return {
      // Rings lie below the marks, so that marks and labels stay readable.
      below: [
        circle('alarm-ring-casing', 14, casing, 3.5, false),
        circle('alarm-outer-casing', 18, casing, 3.5, true),
        circle('alarm-ring', 15, ring, 1.75, false),
        circle('alarm-outer', 19, ring, 1.75, true),
      ],
    };
  },
};

type Rings = GeoJSON.FeatureCollection<GeoJSON.Point, { readonly isNew: boolean }>;

/** Draws rings around the tracks of open alarms; in a replay, of those that were open at its time. */
export function DrawnAlarms({ map, theme }: { readonly map: MapLibreMap; readonly theme: BasemapTheme }) {
  const { display } = useLookout();
  const { alarms } = useAlarms();
  const { shownAt, isPast, now } = useDisplay();
  const pastAt = isPast ? shownAt : undefined;
  const ringed = new Map<string, boolean>();
  for (const alarm of alarms) {
    const isOpen = pastAt === undefined ? alarm.state !== 'ended' && !alarm.closed : wasOpenAt(alarm, pastAt);
    if (!isOpen) continue;
    const isNew = pastAt !== undefined || (stageOf(alarm, now) === 'new' && !alarm.expected);
    for (const ref of [alarm.track ?? [], alarm.other?.ref ?? []].flat())
      ringed.set(ref, isNew || ringed.get(ref) === true);
  }
  const wanted = JSON.stringify([...ringed]);
  const places = useMemo(() => placesOf(display, JSON.parse(wanted) as [string, boolean][]), [display, wanted]);
  const text = useSyncExternalStore(display.subscribe, places);
  const rings = useMemo(() => (text === '[]' ? undefined : ringFeatures(text)), [text]);
  useFeatures(map, theme, ALARM_LAYERS, rings);
  return null;
}

/** The places as text: an equal one is not drawn again. */
function placesOf(display: Display, wanted: readonly (readonly [string, boolean])[]): () => string {
  return () => {
    const found: [number, number, boolean][] = [];
    for (const [ref, isNew] of wanted) {
      const slot = display.tracks.slotOf(ref);
      if (slot === undefined) continue;
      const { lon, lat } = display.tracks.columns;
      found.push([lon[slot] as number, lat[slot] as number, isNew]);
    }
    return JSON.stringify(found);
  };
}

function ringFeatures(text: string): Rings {
  const found = JSON.parse(text) as readonly (readonly [number, number, boolean])[];
  return {
    type: 'FeatureCollection',
    features: found.map(([lon, lat, isNew]) => ({
      type: 'Feature',
      properties: { isNew },
      geometry: { type: 'Point', coordinates: [lon, lat] },
    })),
  };
}
