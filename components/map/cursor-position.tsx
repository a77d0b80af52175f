'use client';

import type { Map as MapLibreMap, MapMouseEvent } from 'maplibre-gl';
import { useEffect, useRef, useState } from 'react';
import { usePreferences } from '#lib/client/page/lookout-context.tsx';
import { type CoordinateNotation, decimalText, dmsText } from '#lib/geo/coordinate-text.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';

type Write = (place: LonLat) => string;

/** Position of the pointer, in the chosen notation. Updated outside React, since it changes with every pointer move. */
export function CursorPosition({ map }: { readonly map: MapLibreMap }) {
  const place = useRef<HTMLOutputElement>(null);
  const [{ coordinates }] = usePreferences();
  const write = useNotation(coordinates);

  useEffect(() => {
    const show = ({ lngLat }: MapMouseEvent) => {
      if (place.current) place.current.textContent = write({ lon: lngLat.lng, lat: lngLat.lat });
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
  }, [map, write]);

  return <output className="map-cursor" ref={place} aria-hidden="true" data-testid="cursor-position" />;
}

/** MGRS comes later: few choose it, and it brings a library. Until then the place is in decimals. */
function useNotation(notation: CoordinateNotation): Write {
  const [writeMgrs, setWriteMgrs] = useState<Write>();
  useEffect(() => {
    let wanted = notation === 'mgrs';
    if (wanted) {
      void import('#lib/geo/mgrs.ts').then(({ mgrsText }) => {
        if (wanted) setWriteMgrs(() => (where: LonLat) => mgrsText(where) ?? 'no MGRS here');
      });
    }
    return () => {
      wanted = false;
    };
  }, [notation]);
  if (notation === 'dms') return dmsText;
  return notation === 'mgrs' && writeMgrs ? writeMgrs : decimalText;
}
