'use client';

import { type Map as MapLibreMap, type MapMouseEvent, type MapTouchEvent, Marker } from 'maplibre-gl';
import { useEffect } from 'react';
import { useLookout, useValue } from '#lib/client/page/lookout-context.tsx';

/** A long press asks for a place, as a right click does. */
const LONG_PRESS_MS = 600;

export function useMarkedPlace(map: MapLibreMap | undefined): void {
  const { markedPlace } = useLookout();
  const place = useValue(markedPlace);

  useEffect(() => {
    if (!map || !place) return;
    const element = document.createElement('div');
    element.className = 'map-place';
    const marker = new Marker({ element }).setLngLat([place.lon, place.lat]).addTo(map);
    // MapLibre makes a marker a button; this one does nothing.
    element.removeAttribute('role');
    element.removeAttribute('aria-label');
    element.removeAttribute('tabindex');
    element.setAttribute('aria-hidden', 'true');
    return () => {
      marker.remove();
    };
  }, [map, place]);

  useEffect(() => {
    if (!map) return;
    let pressing: ReturnType<typeof setTimeout> | undefined;
    const mark = ({ lngLat }: MapMouseEvent | MapTouchEvent) =>
      markedPlace.set({ lon: lngLat.lng, lat: lngLat.lat, name: undefined });
    const onTouch = (event: MapTouchEvent) => {
      clearTimeout(pressing);
      if (event.points.length === 1) pressing = setTimeout(() => mark(event), LONG_PRESS_MS);
    };
    const release = () => clearTimeout(pressing);
    map.on('contextmenu', mark);
    map.on('touchstart', onTouch);
    for (const end of ['touchend', 'touchcancel', 'touchmove'] as const) map.on(end, release);
    return () => {
      release();
      map.off('contextmenu', mark);
      map.off('touchstart', onTouch);
      for (const end of ['touchend', 'touchcancel', 'touchmove'] as const) map.off(end, release);
    };
  }, [map, markedPlace]);
}
