'use client';

import 'maplibre-gl/dist/maplibre-gl.css';
import '../map-view.css';
import type { MapLayerMouseEvent, Map as MapLibreMap } from 'maplibre-gl';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { AttributionControl, Map as MapGl, type MapRef } from 'react-map-gl/maplibre';
import type { CoverageAnswer } from '#lib/api/overview.ts';
import type { Counted } from '#lib/client/overview/coverage-rates.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { useBasemap } from '../basemap/use-basemap.ts';
import { useFeatures } from '../feature-layers.ts';
import { useMapWorker } from '../use-map-worker.ts';
import { coverageFeatures } from './coverage-features.ts';
import { COVERAGE_LAYERS } from './coverage-layers.ts';

export interface CoverageMapProps {
  readonly answer: CoverageAnswer | undefined;
  readonly counted: Counted;
  readonly theme: BasemapTheme;
  readonly mapStyleUrl: string | undefined;
  /** @param index of the cell under the pointer; `undefined`: none */
  readonly onCell: (index: number | undefined) => void;
  readonly onProblem: (problem: string | undefined) => void;
}

/** The picture of the overview page: no marks. */
export function CoverageMap({ answer, counted, theme, mapStyleUrl, onCell, onProblem }: CoverageMapProps) {
  const style = useBasemap(mapStyleUrl, theme, onProblem);
  const hasWorker = useMapWorker(onProblem);
  const [map, setMap] = useState<MapLibreMap>();
  const features = useMemo(() => answer && coverageFeatures(answer, counted), [answer, counted]);
  useFeatures(map, theme, COVERAGE_LAYERS, features);
  const onCreated = useCallback((created: MapRef | null) => {
    const target = created?.getMap();
    target?.on('style.load', () => setMap(target));
  }, []);
  // Text, so that an equal box of a later answer does not move the map.
  const box = answer?.bbox ? answer.bbox.join() : undefined;
  useEffect(() => {
    if (!map || box === undefined) return;
    const [west = 0, south = 0, east = 0, north = 0] = box.split(',').map(Number);
    map.fitBounds([west, south, east < west ? east + 360 : east, north], { padding: 24, animate: false, maxZoom: 10 });
  }, [map, box]);
  const onMouseMove = ({ features: under }: MapLayerMouseEvent) => {
    const index: unknown = under?.[0]?.properties.index;
    onCell(typeof index === 'number' ? index : undefined);
  };
  if (!style || !hasWorker) return null;
  return (
    <MapGl
      initialViewState={{ longitude: 8.4, latitude: 46.9, zoom: 4 }}
      mapStyle={style}
      minZoom={1}
      maxZoom={12}
      maxPitch={0}
      dragRotate={false}
      attributionControl={false}
      interactiveLayerIds={map ? ['coverage-received', 'coverage-nothing'] : []}
      ref={onCreated}
      onMouseMove={onMouseMove}
      onClick={onMouseMove}
      onMouseOut={() => onCell(undefined)}
    >
      <AttributionControl position="bottom-right" compact />
    </MapGl>
  );
}
