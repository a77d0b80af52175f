'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useEffect } from 'react';
import type { Camera } from '#lib/api/address-state.ts';
import { useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import { distanceM } from '#lib/geo/great-circle.ts';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import { AIRPORT_LABEL, AIRPORTS_SOURCE, airportLabelFilter } from '../basemap/airport-layers.ts';
import { AIRPORT_LAYER, type AirportAttributes } from '../basemap/airport-tileset.ts';
import type { MapName } from '../labels/map-names.ts';

/** An airport of the desk is this close to the middle of its home view. */
const REACH_M = 15_000;
/** A home view that shows more than a region has no airport of its own. */
const LEAST_HOME_ZOOM = 8;
/** Larger ones win: a heliport of a hospital is nearer to most places. */
const KINDS = ['large', 'medium', 'small'] as const satisfies AirportAttributes['kind'][];

export interface DrawnAirport extends Pick<AirportAttributes, 'name' | 'codes' | 'kind'> {
  readonly lon: number;
  readonly lat: number;
}

interface OwnAirportProps {
  readonly map: MapLibreMap;
  /** Receives the name of the desk's own airport, which wins over the labels of tracks. */
  readonly onName: (names: readonly MapName[]) => void;
}

/** Names the desk's own airport in place of the map, as soon as the map has read its tile. */
export function OwnAirport({ map, onName }: OwnAirportProps) {
  const home = useValue(useLookout().home);
  useEffect(() => {
    const name = () => {
      if (!map.style || !map.getLayer(AIRPORT_LABEL)) return;
      const own = ownAirport(airportsOf(map), home);
      if (!own) return;
      const { name: whole, codes, lon, lat } = own;
      const lines = [codes, whole].filter((line) => line !== '');
      onName([{ mercatorX: mercatorX(lon), mercatorY: mercatorY(lat), lines, side: 'below', look: 'plain' }]);
      map.setFilter(AIRPORT_LABEL, airportLabelFilter(whole));
      map.off('idle', name);
    };
    map.on('idle', name);
    name();
    return () => {
      map.off('idle', name);
      onName([]);
      if (map.style && map.getLayer(AIRPORT_LABEL)) map.setFilter(AIRPORT_LABEL, airportLabelFilter());
    };
  }, [map, home, onName]);
  return null;
}

function airportsOf(map: MapLibreMap): readonly DrawnAirport[] {
  const features = map.querySourceFeatures(AIRPORTS_SOURCE, { sourceLayer: AIRPORT_LAYER.airports });
  return features.flatMap(({ geometry, properties }) => {
    if (geometry.type !== 'Point') return [];
    const [lon, lat] = geometry.coordinates as [number, number];
    return [{ ...(properties as AirportAttributes), lon, lat }];
  });
}

/** The largest airport around the home view's middle, and of those of a size the nearest. */
export function ownAirport(airports: readonly DrawnAirport[], home: Camera): DrawnAirport | undefined {
  if (home.zoom < LEAST_HOME_ZOOM) return undefined;
  const near = airports.filter((airport) => distanceM(airport, home) <= REACH_M);
  for (const kind of KINDS) {
    const [nearest] = near
      .filter((airport) => airport.kind === kind)
      .sort((a, b) => distanceM(a, home) - distanceM(b, home));
    if (nearest) return nearest;
  }
  return undefined;
}
