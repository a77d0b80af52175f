'use client';

import type { Map as MapLibreMap, MapMouseEvent } from 'maplibre-gl';
import { useEffect, useRef } from 'react';
import { wrapLongitude } from '#lib/geo/longitude.ts';

/** Position of the pointer, in degrees. Updated outside React, since it changes with every pointer move. */
export function CursorPosition({ map }: { readonly map: MapLibreMap }) {
  const place = useRef<HTMLOutputElement>(null);

  useEffect(() => {
    const show = ({ lngLat }: MapMouseEvent) => {
      if (place.current)
        place.current.textContent = `${degrees(lngLat.lat, 'N', 'S')} ${degrees(wrapLongitude(lngLat.lng), 'E', 'W')}`;
    };
    const clear = () => {
      if (place.current) place.current.textContent = '';
    };
    map.on('mousemove', show);
    map.on('mouseout', clear);
    return () => {
      map.off('mousemove', show);
      map.off('mouseout', clear);
    };
  }, [map]);

  return <output className="map-cursor" ref={place} aria-hidden="true" />;
}

function degrees(value: number, positive: string, negative: string): string {
  return `${Math.abs(value).toFixed(4)} ${value < 0 ? negative : positive}`;
}
