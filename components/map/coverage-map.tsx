'use client';

import 'maplibre-gl/dist/maplibre-gl.css';
import './map-view.css';
import { Minus, Plus } from 'lucide-react';
import type { MapLayerMouseEvent, Map as MapLibreMap, StyleSpecification } from 'maplibre-gl';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { AttributionControl, Map as MapGl, type MapRef } from 'react-map-gl/maplibre';
import type { CoverageAnswer } from '#lib/api/overview.ts';
import type { Counted } from '#lib/client/overview/coverage-rates.ts';
import { drawsWebgl2, type MapAbsence } from '#lib/client/page/map-absence.ts';
import { reportPageError } from '#lib/client/page-errors/page-errors.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { absenceText } from './absent-map-text.ts';
import type { BasemapTheme } from './basemap/basemap-palette.ts';
import { recolourBasemap } from './basemap/basemap-style.ts';
import { useBasemap } from './basemap/use-basemap.ts';
import { collapseAttribution } from './collapse-attribution.ts';
import { COVERAGE_CELLS, COVERAGE_PICTURE, coverageFeatures } from './drawn/coverage-features.ts';
import { useFeatures } from './drawn/feature-layers.ts';
import { useMapWorker } from './use-map-worker.ts';

const POINTED = [COVERAGE_CELLS];

export interface CoverageMapProps {
  readonly answer: CoverageAnswer | undefined;
  readonly counted: Counted;
  readonly theme: BasemapTheme;
  readonly mapStyleUrl: string | undefined;
  /** Fits the box once for each; `undefined`: the answer is of another question. */
  readonly fit: string | undefined;
  /** @param index of the cell under the pointer; `undefined`: none */
  readonly onCell: (index: number | undefined) => void;
  readonly onProblem: (problem: string | undefined) => void;
}

/** The picture of the overview page: no marks. */
export function CoverageMap({ answer, counted, theme, mapStyleUrl, fit, onCell, onProblem }: CoverageMapProps) {
  const [firstTheme] = useState(theme);
  const style = useBasemap(mapStyleUrl, firstTheme, onProblem);
  const hasWorker = useMapWorker(onProblem);
  const [map, setMap] = useState<MapLibreMap>();
  const [absence, setAbsence] = useState<MapAbsence>();
  const features = useMemo(() => answer && coverageFeatures(answer, counted), [answer, counted]);
  useFeatures(map, theme, COVERAGE_PICTURE, features);
  useEffect(() => {
    if (map && mapStyleUrl === undefined) recolourBasemap(map, theme);
  }, [map, mapStyleUrl, theme]);
  const isCreated = useRef(false);
  const onCreated = useCallback((created: MapRef | null) => {
    if (!created) return;
    isCreated.current = true;
    const target = created.getMap();
    const onStyle = () => setMap(target);
    target.on('style.load', onStyle);
    // The style is already loaded if the browser drew a frame in between.
    const loaded: StyleSpecification | undefined = target.getStyle();
    if (loaded) onStyle();
  }, []);
  const fitted = useRef<string>(undefined);
  const box = answer?.bbox;
  useEffect(() => {
    if (!map || !box || fit === undefined || fitted.current === fit) return;
    fitted.current = fit;
    const [west, south, east, north] = box;
    map.fitBounds([west, south, east < west ? east + 360 : east, north], { padding: 24, animate: false, maxZoom: 10 });
  }, [map, box, fit]);
  const onPoint = ({ features: under }: MapLayerMouseEvent) => {
    const index: unknown = under?.[0]?.properties.index;
    onCell(typeof index === 'number' ? index : undefined);
  };
  const onError = ({ error }: { readonly error: unknown }) => {
    if (isCreated.current) return;
    const draws = drawsWebgl2();
    if (draws) reportPageError('part', error);
    setAbsence({ kind: draws ? 'failed' : 'no-webgl2' });
  };
  if (absence) {
    const { sentence, remedy } = absenceText(absence);
    return (
      <section aria-label="No map" className="flex h-full flex-col justify-center gap-2 p-6" role="status">
        <p className="font-semibold">{sentence}</p>
        <p>{remedy}</p>
        <p className="text-dim">The table below has all figures of the picture.</p>
      </section>
    );
  }
  if (!style || !hasWorker) return null;
  return (
    <div className="map-view">
      <section className="map-canvas" aria-label="Map of the coverage; the table below has its figures">
        <MapGl
          initialViewState={{ longitude: 8.4, latitude: 46.9, zoom: 4 }}
          mapStyle={style}
          minZoom={1}
          maxZoom={12}
          maxPitch={0}
          dragRotate={false}
          cooperativeGestures
          // Printed.
          canvasContextAttributes={{ preserveDrawingBuffer: true }}
          attributionControl={false}
          interactiveLayerIds={map ? POINTED : []}
          ref={onCreated}
          onLoad={collapseAttribution}
          onError={onError}
          onMouseMove={onPoint}
          onClick={onPoint}
        >
          <AttributionControl position="bottom-right" compact />
        </MapGl>
        {map && (
          <div className="absolute top-2 left-2 flex flex-col gap-1 print:hidden">
            <IconButton label="Zoom in" icon={<Plus />} onClick={() => map.zoomIn()} />
            <IconButton label="Zoom out" icon={<Minus />} onClick={() => map.zoomOut()} />
          </div>
        )}
      </section>
    </div>
  );
}
