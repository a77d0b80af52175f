'use client';

import { type Map as MapLibreMap, Marker } from 'maplibre-gl';
import { useEffect, useMemo } from 'react';
import { useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import type { KnownPosition } from '#lib/client/page/my-position.ts';
import { circlePoints, mapLines } from '#lib/geo/geodesic-lines.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { type FeatureLayers, TOKENS, useFeatures } from './feature-layers.ts';

const ACCURACY: FeatureLayers = {
  source: 'my-accuracy',
  layers: (theme) => ({
    below: [
      {
        id: 'my-accuracy',
        type: 'fill',
        source: 'my-accuracy',
        paint: { 'fill-color': TOKENS[theme].focus, 'fill-opacity': 0.2 },
      },
    ],
  }),
};

/** Draws the operator's own position and its accuracy. */
export function DrawnMyPosition({ map, theme }: { readonly map: MapLibreMap; readonly theme: BasemapTheme }) {
  const mine = useValue(useLookout().myPosition.state);
  const known = mine.kind === 'known' ? mine : undefined;
  const accuracy = useMemo(() => known && circle(known), [known]);
  useFeatures(map, theme, ACCURACY, accuracy);
  useDot(map, known);
  return null;
}

function useDot(map: MapLibreMap, known: KnownPosition | undefined): void {
  const isKnown = known !== undefined;
  const marker = useMemo(() => {
    if (!isKnown) return undefined;
    const element = document.createElement('div');
    element.className = 'map-me';
    return new Marker({ element });
  }, [isKnown]);
  useEffect(() => {
    if (!marker || !known) return;
    marker.setLngLat([known.lon, known.lat]).addTo(map);
    const element = marker.getElement();
    element.removeAttribute('tabindex');
    element.setAttribute('role', 'img');
    element.setAttribute('aria-label', 'My position');
  }, [map, marker, known]);
  useEffect(() => () => void marker?.remove(), [marker]);
}

function circle(known: KnownPosition): GeoJSON.Feature {
  const coordinates = mapLines(circlePoints(known, known.accuracyM));
  return { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates } };
}
