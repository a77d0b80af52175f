'use client';

import 'maplibre-gl/dist/maplibre-gl.css';
import './map-view.css';
import type { MapBoxZoomEvent, MapLayerMouseEvent, Map as MapLibreMap, Point, StyleSpecification } from 'maplibre-gl';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { AttributionControl, Map as MapGl, type MapRef } from 'react-map-gl/maplibre';
import { NOTHING_DRAWN } from '#lib/client/area/drawing-state.ts';
import { NOTHING_MEASURED, placed } from '#lib/client/measuring/measuring-state.ts';
import { drawnArea } from '#lib/client/page/drawn-area.ts';
import {
  type Lookout,
  useIsReplaying,
  useLookout,
  usePreferences,
  useValue,
} from '#lib/client/page/lookout-context.tsx';
import { drawsWebgl2, type MapAbsence } from '#lib/client/page/map-absence.ts';
import { selectInBox, toggleSelected } from '#lib/client/page/select-more.ts';
import type { ViewState } from '#lib/client/page/view-state.ts';
import { reportPageError } from '#lib/client/page-errors/page-errors.ts';
import { ValueStore } from '#lib/client/value-store.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { wrappedBox } from '#lib/geo/view-box.ts';
import { Boundary } from '../ui/boundary.tsx';
import { Button } from '../ui/button.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { useMediaQuery } from '../ui/use-media-query.ts';
import { ZOOM_MAX, ZOOM_MIN } from './absent-map.ts';
import { recolourBasemap } from './basemap/basemap-style.ts';
import { useBasemap } from './basemap/use-basemap.ts';
import { useResolvedTheme } from './basemap/use-resolved-theme.ts';
import { collapseAttribution } from './collapse-attribution.ts';
import { CursorPosition } from './cursor-position.tsx';
import { addCoveredLayers, recolourCoveredArea } from './drawn/covered-area.ts';
import { useFilterArea } from './drawn/use-filter-area.ts';
import { AbsentArea, MapAbsent } from './map-absent.tsx';
import type { MarksLayer } from './marks/marks-layer.ts';
import { PileClicks } from './marks/pile-clicks.ts';
import { useMarkedPlace } from './places/use-marked-place.ts';
import { useRegionMap } from './region/use-region-map.ts';
import { readMapPixels, runMapCommand } from './run-map-command.ts';
import { ScaleBars } from './scale-bars.tsx';
import { useLiveTrails } from './trails/use-live-trails.ts';
import { useDrawnPicture } from './use-drawn-picture.ts';
import { useFollow } from './use-follow.ts';
import { useIsGroundThin } from './use-is-ground-thin.ts';
import { useMapSize } from './use-map-size.ts';
import { useMapWorker } from './use-map-worker.ts';
import { useSelectedInView } from './use-selected-in-view.ts';
import { useDrawnVectors } from './vectors/use-drawn-vectors.ts';

const PlacePlate = onDemand('The place’s coordinates', () =>
  import('./place-plate.tsx').then((plate) => plate.PlacePlate),
);

const HoverTip = onDemand(undefined, () => import('./hover-tip.tsx').then((tip) => tip.HoverTip));

const DrawnPast = onDemand('What the map draws of a replay', () =>
  import('./drawn/drawn-past.tsx').then((past) => past.DrawnPast),
);
const DrawnArea = onDemand('The area on the map', () =>
  import('./drawn/drawn-area.tsx').then((area) => area.DrawnArea),
);
const DrawnMeasuring = onDemand('What the map draws of a measurement', () =>
  import('./drawn/drawn-measuring.tsx').then((measuring) => measuring.DrawnMeasuring),
);

const DrawnMyPosition = onDemand('My position on the map', () =>
  import('./drawn/drawn-my-position.tsx').then((mine) => mine.DrawnMyPosition),
);
const DrawnOverlays = onDemand('What the map draws of overlays', () =>
  import('./drawn/drawn-overlays.tsx').then((overlays) => overlays.DrawnOverlays),
);
const DrawnZones = onDemand('The zones on the map', () =>
  import('./drawn/drawn-zones.tsx').then((zones) => zones.DrawnZones),
);
const DrawnZoneDraft = onDemand('Drawing zones', () =>
  import('./drawn/drawn-zone-draft.tsx').then((draft) => draft.DrawnZoneDraft),
);
const DrawnAlarms = onDemand('Rings around alarms', () =>
  import('./drawn/drawn-alarms.tsx').then((alarms) => alarms.DrawnAlarms),
);
const DrawnCoverage = onDemand('Coverage on the map', () =>
  import('./drawn/drawn-coverage.tsx').then((coverage) => coverage.DrawnCoverage),
);
const NoStreetMap = onDemand(undefined, () => import('./no-street-map.tsx').then((ground) => ground.NoStreetMap));

const FADE_MS = 300;

const PICK_RADIUS_PX = 16;

const BOX_MIN_PX = 5;

function toggleAt(lookout: Lookout, marks: MarksLayer, { x, y }: { readonly x: number; readonly y: number }): void {
  if (lookout.measuring.state.get().tool !== undefined || lookout.drawing.get().tool !== undefined) return;
  const slot = marks.pickSlot(x, y, PICK_RADIUS_PX);
  if (slot !== undefined) toggleSelected(lookout, lookout.display.tracks.refAt(slot));
}

/**
 * The map, or why there is none: then the rest of the page works on.
 * @param foot lies below the map, next to the coordinates under the pointer
 */
export function MapView({ foot }: { readonly foot: ReactNode }) {
  const { replay } = useLookout();
  const isReplaying = useIsReplaying();
  const [absence, setAbsence] = useState<MapAbsence>();
  return (
    <Boundary
      what="The map"
      resetKey={isReplaying}
      wayOut={
        <>
          {isReplaying && <Button onClick={() => replay.leave()}>Back to live</Button>}
          <AbsentArea absence={FAILED} />
        </>
      }
      className="h-full justify-center"
    >
      {absence ? <MapAbsent absence={absence} /> : <PresentMap foot={foot} onAbsent={setAbsence} />}
    </Boundary>
  );
}

const FAILED: MapAbsence = { kind: 'failed' };
/** Browsers restore a lost graphics context within a second or two, or not at all. */
const RESTORED_WITHIN_MS = 15_000;

interface PresentMapProps {
  readonly foot: ReactNode;
  readonly onAbsent: (absence: MapAbsence) => void;
}

function PresentMap({ foot, onAbsent }: PresentMapProps) {
  const lookout = useLookout();
  const { display, drawing, mapStyleUrl, mapView, mapCommands, mapShown, measuring, selectsMore } = lookout;
  const theme = useResolvedTheme();
  const reducesMotion = useMediaQuery('(prefers-reduced-motion: reduce)');
  const hovers = useMediaQuery('(hover: hover)');
  const [preferences] = usePreferences();
  const { units, trails, graticule } = preferences;
  const markedPlace = useValue(lookout.markedPlace);
  const regionMap = useValue(lookout.regionMap);
  const [problem, setProblem] = useState<string>();
  const [isLost, setLost] = useState(false);
  const [map, setMap] = useState<MapLibreMap>();
  const [firstTheme] = useState(theme);
  const style = useBasemap(mapStyleUrl, firstTheme, setProblem);
  const hasWorker = useMapWorker(setProblem);

  const { drawn, ready, marks } = useDrawnPicture(map, { theme, units, preferences, onFailure: setProblem });
  useMapSize(map);
  useFilterArea(map, theme);
  useFollow(map);
  useSelectedInView(map);
  useMarkedPlace(map);
  const isMissing = problem !== undefined && !map;
  const pending = useMemo<MapAbsence | undefined>(
    () => (isMissing ? { kind: 'pending', problem } : undefined),
    [isMissing, problem],
  );
  const isReplaying = useIsReplaying();
  const isMeasured = useIsMeasured();
  const isLocated = useValue(lookout.myPosition.state).kind === 'known';
  const isAreaDrawn = useIsAreaDrawn();
  const isZoneDrafted = useIsZoneDrafted();
  const isCoverageShown = useValue(lookout.coverage) !== undefined;
  const isGroundThin = useIsGroundThin();
  const isIdle = useIsIdle(map);
  // Loaded after the first marks.
  const trailLines = useLiveTrails(ready ? map : undefined, { theme, trails, onFailure: setProblem });
  const dimming = useRegionMap(map, theme);
  const vectors = useDrawnVectors(map, { theme, onFailure: setProblem });

  useEffect(() => {
    if (!map) return;
    if (mapStyleUrl === undefined) recolourBasemap(map, theme, { graticule, dimming });
    recolourCoveredArea(map, theme);
  }, [map, theme, mapStyleUrl, graticule, dimming]);

  useEffect(
    () =>
      map ? mapCommands.listen((command) => runMapCommand(map, command, lookout, () => readMapPixels(map))) : undefined,
    [map, mapCommands, lookout],
  );

  useEffect(() => {
    if (isReplaying) map?.keyboard.disable();
    else map?.keyboard.enable();
  }, [map, isReplaying]);

  const publishView = useCallback(
    (moved: MapLibreMap) => {
      const { lng, lat } = moved.getCenter();
      const bounds = moved.getBounds();
      const visible = wrappedBox({
        west: bounds.getWest(),
        south: bounds.getSouth(),
        east: bounds.getEast(),
        north: bounds.getNorth(),
      });
      mapView.set({ lon: lng, lat, zoom: moved.getZoom(), bearingDeg: moved.getBearing(), visible });
    },
    [mapView],
  );

  // Marks don't wait for tiles: the view is requested with the map's first size.
  const onCreated = useCallback(
    (created: MapRef | null) => {
      if (!created) return;
      isCreated.current = true;
      const target = created.getMap();
      const onStyle = () => {
        addCoveredLayers(target, firstTheme);
        setMap(target);
      };
      target.on('style.load', onStyle);
      // The style is already loaded if the browser drew a frame in between.
      if (hasStyle(target)) onStyle();
      target.on('webglcontextlost', () => {
        setLost(true);
        setProblem('The map lost its graphics context; waiting for the browser to restore it.');
      });
      target.on('webglcontextrestored', () => {
        setLost(false);
        setProblem(undefined);
      });
      publishView(target);
    },
    [firstTheme, publishView],
  );

  useEffect(() => {
    if (ready || problem !== undefined) mapShown.set(true);
  }, [ready, problem, mapShown]);

  useEffect(() => {
    if (!isLost) return;
    const timer = setTimeout(() => onAbsent({ kind: 'lost' }), RESTORED_WITHIN_MS);
    return () => clearTimeout(timer);
  }, [isLost, onAbsent]);

  // MapLibre's events of failed tiles and sources come here too, once there is a map.
  const isCreated = useRef(false);
  const onError = ({ error }: { readonly error: unknown }) => {
    if (isCreated.current) return;
    const draws = drawsWebgl2();
    if (draws) reportPageError('part', error);
    onAbsent({ kind: draws ? 'failed' : 'no-webgl2' });
  };

  const [boxZoom] = useState(() => ({
    boxZoomEnd: (_: MapLibreMap, start: Point, end: Point) => {
      if (start.dist(end) < BOX_MIN_PX) toggleAt(lookout, marks, start);
      else {
        const box = {
          left: Math.min(start.x, end.x),
          top: Math.min(start.y, end.y),
          right: Math.max(start.x, end.x),
          bottom: Math.max(start.y, end.y),
        };
        const refs = marks.inBox(box).map((slot) => display.tracks.refAt(slot));
        selectInBox(lookout, refs);
      }
    },
  }));
  const [pileClicks] = useState(() => new PileClicks());
  // MapLibre reports a Shift click as a box without a size.
  const onShiftClick = ({ originalEvent: event, target }: MapBoxZoomEvent) => {
    if (!(event instanceof MouseEvent)) return;
    const { left, top } = target.getCanvasContainer().getBoundingClientRect();
    toggleAt(lookout, marks, { x: event.clientX - left, y: event.clientY - top });
  };
  const onClick = ({ point, lngLat, originalEvent }: MapLayerMouseEvent) => {
    if (drawing.get().tool !== undefined || lookout.zones.draft.get()?.isDrawing) return;
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
  const [hovered] = useState(() => new ValueStore<string | undefined>(undefined));
  const leave = () => hovered.set(undefined);
  const onMouseMove = ({ point, target }: MapLayerMouseEvent) => {
    const slot = marks.pickSlot(point.x, point.y, PICK_RADIUS_PX);
    const isDrawing = drawing.get().tool !== undefined || lookout.zones.draft.get()?.isDrawing === true;
    const idle = measuring.state.get().tool === undefined && !isDrawing ? '' : 'crosshair';
    target.getCanvas().style.cursor = slot === undefined || isDrawing ? idle : 'pointer';
    hovered.set(slot === undefined || isDrawing ? undefined : display.tracks.refAt(slot));
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
        {style && hasWorker && (
          <MapGl
            initialViewState={initialViewState(mapView.get())}
            mapStyle={style}
            minZoom={ZOOM_MIN}
            maxZoom={ZOOM_MAX}
            boxZoom={boxZoom}
            maxPitch={0}
            trackResize={false}
            attributionControl={false}
            fadeDuration={reducesMotion ? 0 : FADE_MS}
            ref={onCreated}
            onLoad={collapseAttribution}
            onError={onError}
            onMoveEnd={({ target }) => publishView(target as MapLibreMap)}
            onResize={({ target }) => publishView(target as MapLibreMap)}
            onBoxZoomCancel={onShiftClick}
            onClick={onClick}
            onMouseMove={onMouseMove}
            onMouseOut={leave}
            onMoveStart={leave}
            reuseMaps
          >
            <ScaleBars unit={units === 'imperial' ? 'imperial' : 'metric'} />
            <AttributionControl position="bottom-right" compact />
          </MapGl>
        )}
        {map && isReplaying && <DrawnPast map={map} theme={theme} trails={trails} onFailure={setProblem} />}
        {map && hovers && <HoverTip map={map} hovered={hovered} />}
        {map && (ready || isIdle) && (
          <>
            <DrawnOverlays map={map} theme={theme} />
            <DrawnZones map={map} theme={theme} />
            <DrawnAlarms map={map} theme={theme} />
          </>
        )}
        {map && isZoneDrafted && <DrawnZoneDraft map={map} theme={theme} />}
        {map && isCoverageShown && <DrawnCoverage map={map} theme={theme} />}
        {map && isAreaDrawn && <DrawnArea map={map} theme={theme} />}
        {map && isMeasured && <DrawnMeasuring map={map} theme={theme} />}
        {map && isLocated && <DrawnMyPosition map={map} theme={theme} />}
        {isGroundThin && <NoStreetMap />}
        {pending && <MapAbsent absence={pending} />}
        {problem !== undefined && map && (
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

function initialViewState({ lon, lat, zoom, bearingDeg }: ViewState) {
  return { longitude: lon, latitude: lat, zoom, bearing: bearingDeg };
}

/** Before, a map serialises to nothing, whatever its type says. */
function hasStyle(map: MapLibreMap): boolean {
  const style: StyleSpecification | undefined = map.getStyle();
  return style !== undefined;
}

function useIsAreaDrawn(): boolean {
  const { drawing, filter } = useLookout();
  const isDrawing = useValue(drawing) !== NOTHING_DRAWN;
  const isNeeded = drawnArea(useValue(filter)) !== undefined || isDrawing;
  const [isDrawn, setDrawn] = useState(false);
  if (isNeeded && !isDrawn) setDrawn(true);
  return isDrawn;
}

function useIsZoneDrafted(): boolean {
  const { zones } = useLookout();
  const draft = useValue(zones.draft);
  return useValue(zones.preview).length > 0 || draft !== undefined;
}

function useIsMeasured(): boolean {
  const state = useValue(useLookout().measuring.state);
  const [isMeasured, setMeasured] = useState(false);
  if (!isMeasured && state !== NOTHING_MEASURED) setMeasured(true);
  return isMeasured;
}

/** Marks come before what waits for this. */
function useIsIdle(map: MapLibreMap | undefined): boolean {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    if (!map) return;
    const onIdle = () => setIdle(true);
    map.once('idle', onIdle);
    return () => {
      map.off('idle', onIdle);
    };
  }, [map]);
  return isIdle;
}
