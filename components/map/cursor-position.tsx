'use client';

import type { Map as MapLibreMap, MapMouseEvent } from 'maplibre-gl';
import { useEffect, useRef, useState } from 'react';
import { usePreferences } from '#lib/client/page/lookout-context.tsx';
import { type CoordinateNotation, decimalText, dmsText } from '#lib/geo/coordinate-text.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { atMostEvery } from './at-most-every.ts';

const UPDATE_EVERY_MS = 100;

type Write = (place: LonLat) => string;

export function CursorPosition({ map }: { readonly map: MapLibreMap }) {
  const place = useRef<HTMLOutputElement>(null);
  const [{ coordinates }] = usePreferences();
  const write = useNotation(coordinates);

  useEffect(() => {
    let text = '';
    let shown = '';
    const update = atMostEvery(UPDATE_EVERY_MS, () => {
      if (!place.current || text === shown) return;
      place.current.textContent = text;
      shown = text;
    });
    const show = ({ lngLat }: MapMouseEvent) => {
      text = write({ lon: lngLat.lng, lat: lngLat.lat });
      update();
    };
    const clear = () => {
      text = '';
      update();
    };
    map.on('mousemove', show);
    map.on('mouseout', clear);
    return () => {
      map.off('mousemove', show);
      map.off('mouseout', clear);
      update.stop();
    };
  }, [map, write]);

  return <output className="map-cursor" ref={place} aria-hidden="true" data-testid="cursor-position" />;
}

/** MGRS needs a library: until it is loaded the text is in decimals. */
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
