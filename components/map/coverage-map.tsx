'use client';

import { type Bbox, eastPastWest } from '#lib/geo/bbox.ts';
import 'maplibre-gl/dist/maplibre-gl.css';
import './map-view.css';
import { Minus, Plus } from 'lucide-react';
import type { MapLayerMouseEvent, Map as MapLibreMap } from 'maplibre-gl';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { AttributionControl, Map as MapGl } from 'react-map-gl/maplibre';
import type { CoverageAnswer } from '#lib/api/overview.ts';
import type { Covered } from '#lib/client/overview/coverage-rates.ts';
import type { MapAbsence } from '#lib/client/page/page-map.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import { COVERAGE_FIT_ZOOM_MAX, COVERAGE_ZOOM } from '#lib/geo/zoom-limits.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { absenceText } from './absent-map-text.ts';
import type { BasemapTheme } from './basemap/basemap-palette.ts';
import { recolourBasemap } from './basemap/basemap-style.ts';
import { COVERAGE_CELLS, COVERAGE_PICTURE, coverageFeatures } from './drawn/drawn-coverage.tsx';
import { useFeatures } from './drawn/feature-layers.ts';
import { useStartedMap } from './use-started-map.ts';

const POINTED = [COVERAGE_CELLS];

const FIT = { padding: 24, maxZoom: COVERAGE_FIT_ZOOM_MAX } as const;

function boundsOf({ west, south, east, north }: Bbox): [number, number, number, number] {
  return [west, south, eastPastWest({ west, east }), north];
}

export interface CoverageMapProps {
  readonly answer: CoverageAnswer | undefined;
  readonly counted: Covered;
  readonly theme: BasemapTheme;
  readonly mapStyleUrl: string | undefined;
  /** The map shows the whole box once for each value; `undefined`: the answer is not read, or is of another question. */
  readonly fit: string | undefined;
  /** The box; `undefined`: that of the answer. */
  readonly frame: Bbox | undefined;
  /** @param index of the cell under the pointer; `undefined`: none */
  readonly onCell: (index: number | undefined) => void;
  readonly onProblem: (problem: string | undefined) => void;
}

/** The picture of the overview page: a map of cells, without marks. */
export function CoverageMap({ answer, counted, theme, mapStyleUrl, fit, frame, onCell, onProblem }: CoverageMapProps) {
  const [absence, setAbsence] = useState<MapAbsence>();
  const { map, problem, ...started } = useStartedMap({ mapStyleUrl, theme, onAbsent: setAbsence });
  useEffect(() => onProblem(problem), [onProblem, problem]);
  const features = useMemo(() => answer && coverageFeatures(answer, counted), [answer, counted]);
  useFeatures(map, theme, COVERAGE_PICTURE, features);
  useEffect(() => {
    if (!map) return;
    if (mapStyleUrl === undefined) recolourBasemap(map, theme);
    // The browser prints what was drawn last.
    map.redraw();
  }, [map, mapStyleUrl, theme]);
  const fitted = useRef<string>(undefined);
  const box = frame ?? (answer?.bbox && boxFromCorners(answer.bbox));
  const bounds = box && boundsOf(box);
  const fitTo = useEffectEvent((it: MapLibreMap) => bounds && it.fitBounds(bounds, { ...FIT, animate: false }));
  useEffect(() => {
    if (!map || fit === undefined || fitted.current === fit) return;
    fitted.current = fit;
    fitTo(map);
  }, [map, fit]);
  const onPoint = ({ features: under }: MapLayerMouseEvent) => {
    const index: unknown = under?.[0]?.properties.index;
    onCell(typeof index === 'number' ? index : undefined);
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
  // It opens at what is watched, and so waits for the first answer.
  if (!started.style || (!map && fit === undefined)) return null;
  return (
    <div className="map-view">
      <section className="map-canvas" aria-label="Map of the coverage; the table below has its figures">
        <MapGl
          initialViewState={bounds ? { bounds, fitBoundsOptions: FIT } : { longitude: 8.4, latitude: 46.9, zoom: 4 }}
          mapStyle={started.style}
          minZoom={COVERAGE_ZOOM.min}
          maxZoom={COVERAGE_ZOOM.max}
          maxPitch={0}
          dragRotate={false}
          cooperativeGestures
          // The page is printed with this map: browsers print a canvas only if its pixels stay.
          canvasContextAttributes={{ preserveDrawingBuffer: true }}
          attributionControl={false}
          interactiveLayerIds={map ? POINTED : []}
          ref={started.ref}
          onLoad={started.onLoad}
          onError={started.onError}
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
