'use client';

import { type GeoJSONSource, type Map as MapLibreMap, Marker } from 'maplibre-gl';
import { useEffect, useMemo } from 'react';
import { useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import type { KnownPosition } from '#lib/client/page/my-position.ts';
import { circlePoints, mapLines } from '#lib/geo/geodesic-lines.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { onEveryStyle } from '../on-every-style.ts';

const ACCURACY = 'my-accuracy';
const NOTHING: GeoJSON.FeatureCollection = { type: 'FeatureCollection', features: [] };

/** The token `focus` of app/globals.css. */
const COLOUR: Readonly<Record<BasemapTheme, string>> = { dark: '#8cc8ff', light: '#0a66c2' };

/** This device on the map: a dot, and the circle that it is in. */
export function DrawnMyPosition({ map, theme }: { readonly map: MapLibreMap; readonly theme: BasemapTheme }) {
  const mine = useValue(useLookout().myPosition.state);
  const known = mine.kind === 'known' ? mine : undefined;
  useAccuracy(map, theme, known);
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
    // MapLibre makes a marker a button; this one does nothing.
    element.removeAttribute('tabindex');
    element.setAttribute('role', 'img');
    element.setAttribute('aria-label', 'My position');
  }, [map, marker, known]);
  useEffect(() => () => void marker?.remove(), [marker]);
}

function useAccuracy(map: MapLibreMap, theme: BasemapTheme, known: KnownPosition | undefined): void {
  useEffect(() => {
    const show = () => {
      const data = known ? circle(known) : NOTHING;
      const source = map.getSource<GeoJSONSource>(ACCURACY);
      if (source) {
        source.setData(data);
        map.setPaintProperty(ACCURACY, 'fill-color', COLOUR[theme]);
        return;
      }
      map.addSource(ACCURACY, { type: 'geojson', data });
      map.addLayer(
        { id: ACCURACY, type: 'fill', source: ACCURACY, paint: { 'fill-color': COLOUR[theme], 'fill-opacity': 0.2 } },
        map.getLayer('marks') ? 'marks' : undefined,
      );
    };
    return onEveryStyle(map, show);
  }, [map, theme, known]);
  useEffect(() => () => void map.getSource<GeoJSONSource>(ACCURACY)?.setData(NOTHING), [map]);
}

function circle(known: KnownPosition): GeoJSON.Feature {
  const coordinates = mapLines(circlePoints(known, known.accuracyM));
  return { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates } };
}
