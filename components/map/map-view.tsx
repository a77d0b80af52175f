'use client';

import 'maplibre-gl/dist/maplibre-gl.css';
import './map-view.css';
import {
  type MapBoxZoomEvent,
  type MapLayerMouseEvent,
  type Map as MapLibreMap,
  type Point,
  setWorkerUrl,
} from 'maplibre-gl';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { AttributionControl, Map as MapGl, ScaleControl } from 'react-map-gl/maplibre';
import { placed } from '#lib/client/measuring/measuring-state.ts';
import {
  type Lookout,
  useIsReplaying,
  useLookout,
  usePreferences,
  useValue,
} from '#lib/client/page/lookout-context.tsx';
import { toggleSelected } from '#lib/client/page/select-more.ts';
import { useAddressBar } from '#lib/client/page/use-address-bar.ts';
import { useLivePolling } from '#lib/client/page/use-live-polling.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { Boundary } from '../ui/boundary.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { useMediaQuery } from '../ui/use-media-query.ts';
import { applyBox } from './apply-box.ts';
import { recolourBasemap } from './basemap/recolour-basemap.ts';
import { useBasemap, useResolvedTheme } from './basemap/use-basemap.ts';
import { CursorPosition } from './cursor-position.tsx';
import { useDrawnGaps } from './gaps/use-drawn-gaps.ts';
import type { MarksLayer } from './marks/marks-layer.ts';
import { PileClicks } from './marks/pile-clicks.ts';
import { useDrawnMeasuring } from './measuring/use-drawn-measuring.ts';
import { addOverlayLayers, recolourOverlay } from './overlay-layers.ts';
import { useMarkedPlace } from './places/use-marked-place.ts';
import { useRegionMap } from './region/use-region-map.ts';
import { visibleBbox } from './requested-area.ts';
import { runMapCommand } from './run-map-command.ts';
import { type TrailOptions, useDrawnTrails } from './trails/use-drawn-trails.ts';
import { useLiveTrails } from './trails/use-live-trails.ts';
import { useDrawnPicture } from './use-drawn-picture.ts';
import { useFilterArea } from './use-filter-area.ts';
import { useFollow } from './use-follow.ts';
import { useLiveView } from './use-live-view.ts';
import { useSelectedInView } from './use-selected-in-view.ts';
import { useDrawnVectors } from './vectors/use-drawn-vectors.ts';

const PlacePlate = onDemand('The place’s coordinates', () =>
  import('./places/place-plate.tsx').then((plate) => plate.PlacePlate),
);

setWorkerUrl(new URL('maplibre-gl/dist/maplibre-gl-worker.mjs', import.meta.url).toString());

/** MapLibre's default fade of labels; 0 for operators who prefer reduced motion. */
const FADE_MS = 300;

/** How far from its position a click still picks a mark, in CSS pixels. */
const PICK_RADIUS_PX = 16;

/** A shorter drag with Shift is a click by a hand that trembles. */
const BOX_MIN_PX = 5;

/** Adds the mark at a point to the selection, or removes it; without a mark nothing changes. */
function toggleAt(lookout: Lookout, marks: MarksLayer, { x, y }: { readonly x: number; readonly y: number }): void {
  if (lookout.measuring.state.get().tool !== undefined) return;
  const slot = marks.pickSlot(x, y, PICK_RADIUS_PX);
  if (slot !== undefined) toggleSelected(lookout, lookout.display.tracks.refAt(slot));
}

/**
 * The map: basemap, watched area, marks and labels. One instance for the whole visit.
 * @param foot lies below it, beside the place under the pointer
 */
export function MapView({ foot }: { readonly foot: ReactNode }) {
  useAddressBar();
  const lookout = useLookout();
  const { display, mapStyleUrl, mapView, mapCommands, measuring, selectsMore } = lookout;
  const [start] = useState(() => mapView.get());
  const theme = useResolvedTheme();
  const reducesMotion = useMediaQuery('(prefers-reduced-motion: reduce)');
  const [preferences] = usePreferences();
  const { units, trails, graticule } = preferences;
  const markedPlace = useValue(lookout.markedPlace);
  const regionMap = useValue(lookout.regionMap);
  const [problem, setProblem] = useState<string>();
  const [isLost, setLost] = useState(false);
  const [map, setMap] = useState<MapLibreMap>();
  const [firstTheme] = useState(theme);
  const style = useBasemap(mapStyleUrl, firstTheme, setProblem);

  const view = useLiveView();
  useLivePolling(view);
  const { drawn, ready, marks } = useDrawnPicture(map, { theme, units, preferences, onFailure: setProblem });
  useFilterArea(map, theme);
  useFollow(map);
  useSelectedInView(map);
  useMarkedPlace(map);
  useDrawnPast(map, { theme, trails, onFailure: setProblem });
  const trailLines = useLiveTrails(map, { theme, trails, onFailure: setProblem });
  useDrawnMeasuring(map, theme);
  const dimming = useRegionMap(map, theme);
  const vectors = useDrawnVectors(map, { theme, onFailure: setProblem });

  useEffect(() => {
    if (!map) return;
    if (mapStyleUrl === undefined) recolourBasemap(map, theme, { graticule, dimming });
    recolourOverlay(map, theme);
  }, [map, theme, mapStyleUrl, graticule, dimming]);

  useEffect(
    () => (map ? mapCommands.listen((command) => runMapCommand(map, command, lookout)) : undefined),
    [map, mapCommands, lookout],
  );

  const publishView = useCallback(
    (moved: MapLibreMap) => {
      const { lng, lat } = moved.getCenter();
      const visible = visibleBbox(moved.getBounds());
      mapView.set({ lon: lng, lat, zoom: moved.getZoom(), bearingDeg: moved.getBearing(), visible });
    },
    [mapView],
  );

  const onLoad = useCallback(
    ({ target }: { target: MapLibreMap }) => {
      target.on('style.load', () => addOverlayLayers(target, firstTheme));
      addOverlayLayers(target, firstTheme);
      // MapLibre shows the attribution expanded until the map is first moved; collapsed, it is one click away.
      target.getContainer().querySelector('.maplibregl-ctrl-attrib')?.classList.remove('maplibregl-compact-show');
      target.on('webglcontextlost', () => {
        setLost(true);
        setProblem('The map lost its graphics context; waiting for the browser to restore it.');
      });
      target.on('webglcontextrestored', () => {
        setLost(false);
        setProblem(undefined);
      });
      setMap(target);
      publishView(target);
    },
    [firstTheme, publishView],
  );

  const [boxZoom] = useState(() => ({
    boxZoomEnd: (drawnOn: MapLibreMap, start: Point, end: Point) => {
      if (start.dist(end) < BOX_MIN_PX) toggleAt(lookout, marks, start);
      else applyBox(drawnOn, start, end, lookout, marks);
    },
  }));
  const [pileClicks] = useState(() => new PileClicks());
  // MapLibre takes a click with Shift for a box without a size, and does not report it as a click.
  const onShiftClick = ({ originalEvent: event, target }: MapBoxZoomEvent) => {
    if (!(event instanceof MouseEvent)) return;
    const { left, top } = target.getCanvasContainer().getBoundingClientRect();
    toggleAt(lookout, marks, { x: event.clientX - left, y: event.clientY - top });
  };
  const onClick = ({ point, lngLat, originalEvent }: MapLayerMouseEvent) => {
    if (measuring.state.get().tool !== undefined) {
      const end = marks.pickSlot(point.x, point.y, PICK_RADIUS_PX);
      const place = { lon: wrapLongitude(lngLat.lng), lat: lngLat.lat };
      measuring.change((state) => placed(state, end === undefined ? { place } : { ref: display.tracks.refAt(end) }));
      return;
    }
    if (originalEvent.ctrlKey || originalEvent.metaKey || selectsMore.get()) {
      toggleAt(lookout, marks, point);
      return;
    }
    const slot = pileClicks.next(marks.pileAt(point.x, point.y, PICK_RADIUS_PX), point.x, point.y);
    display.select(slot === undefined ? undefined : display.tracks.refAt(slot));
  };
  const onMouseMove = ({ point, target }: MapLayerMouseEvent) => {
    const over = marks.pickSlot(point.x, point.y, PICK_RADIUS_PX) !== undefined;
    const idle = measuring.state.get().tool === undefined ? '' : 'crosshair';
    target.getCanvas().style.cursor = over ? 'pointer' : idle;
  };

  return (
    <div className="map-view">
      <section
        className="map-canvas"
        data-testid="map"
        data-ready={ready}
        data-lost={isLost}
        data-region={regionMap.kind}
        data-drawn={drawn}
        data-vectors={vectors}
        data-trail-solid={trailLines.solid}
        data-trail-dotted={trailLines.dotted}
        aria-label="Map of received positions"
      >
        {style && (
          <MapGl
            initialViewState={{
              longitude: start.lon,
              latitude: start.lat,
              zoom: start.zoom,
              bearing: start.bearingDeg,
            }}
            mapStyle={style}
            minZoom={1}
            maxZoom={18}
            boxZoom={boxZoom}
            maxPitch={0}
            attributionControl={false}
            fadeDuration={reducesMotion ? 0 : FADE_MS}
            onLoad={onLoad}
            onMoveEnd={({ target }) => publishView(target as MapLibreMap)}
            onResize={({ target }) => publishView(target as MapLibreMap)}
            onBoxZoomCancel={onShiftClick}
            onClick={onClick}
            onMouseMove={onMouseMove}
            reuseMaps
          >
            <ScaleControl position="bottom-right" unit={units === 'imperial' ? 'imperial' : 'metric'} />
            <ScaleControl position="bottom-right" unit="nautical" />
            <AttributionControl position="bottom-right" compact />
          </MapGl>
        )}
        {problem !== undefined && (
          <p className="map-problem" role="alert">
            {problem}
          </p>
        )}
      </section>
      {markedPlace && <PlacePlate key={`${markedPlace.lon} ${markedPlace.lat}`} place={markedPlace} />}
      <div className="map-foot">
        <Boundary what="The legend" className="min-w-0 flex-1">
          {foot}
        </Boundary>
        {map && <CursorPosition map={map} />}
      </div>
    </div>
  );
}

/** What the map shows of a replay besides the picture at the cursor: trails and gaps. */
function useDrawnPast(map: MapLibreMap | undefined, options: TrailOptions): void {
  const isReplaying = useIsReplaying();
  useDrawnGaps(map, options.theme);
  useDrawnTrails(map, options);

  useEffect(() => {
    // In a replay the arrow keys step through time.
    if (isReplaying) map?.keyboard.disable();
    else map?.keyboard.enable();
  }, [map, isReplaying]);
}
