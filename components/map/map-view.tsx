'use client';

import 'maplibre-gl/dist/maplibre-gl.css';
import './map-view.css';
import type { Map as MapLibreMap } from 'maplibre-gl';
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { AttributionControl, Map as MapGl } from 'react-map-gl/maplibre';
import { NOTHING_DRAWN } from '#lib/client/area/drawing-state.ts';
import { NOTHING_MEASURED } from '#lib/client/measuring/measuring-state.ts';
import { useIsReplaying, useLookout, useMay, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import type { MapAbsence, ViewState } from '#lib/client/page/page-map.ts';
import { STREET_MAP_HINT, THIN_GROUND_ZOOM } from '#lib/client/page/region-map.ts';
import { MAP_ZOOM } from '#lib/geo/zoom-limits.ts';
import { Button } from '../ui/button.tsx';
import { Boundary } from '../ui/failure.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { useMediaQuery } from '../ui/use-media-query.ts';
import type { BasemapTheme } from './basemap/basemap-palette.ts';
import { recolourBasemap } from './basemap/basemap-style.ts';
import { addCoveredLayers, useCoveredArea } from './drawn/covered-area.ts';
import { type MapNames, makeMapNames } from './labels/map-names.ts';
import { AbsentArea, MapAbsent } from './map-absent.tsx';
import { CursorPosition, ScaleBars } from './map-readings.tsx';
import { useDrawnMarks } from './marks/marks-layer.ts';
import { useRegionMap } from './region/use-region-map.ts';
import { useLiveTrails } from './trails/use-live-trails.ts';
import type { TrailOptions } from './trails/use-replay-trails.ts';
import { useMapCamera, viewOf } from './use-map-camera.ts';
import { useMapPointer, useMarkedPlace } from './use-map-pointer.ts';
import { useMapProblems } from './use-map-problems.ts';
import { useStartedMap } from './use-started-map.ts';
import { useDrawnVectors } from './vectors/use-drawn-vectors.ts';

const DrawnLabels = onDemand(undefined, () => import('./labels/track-labels.ts').then((labels) => labels.DrawnLabels));
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
const OwnAirport = onDemand(undefined, () => import('./drawn/own-airport.ts').then((own) => own.OwnAirport));
const DrawnZoneDraft = onDemand('Drawing zones', () =>
  import('./drawn/drawn-zone-draft.tsx').then((draft) => draft.DrawnZoneDraft),
);
const DrawnAlarms = onDemand('Rings around alarms', () =>
  import('./drawn/drawn-alarms.tsx').then((alarms) => alarms.DrawnAlarms),
);
const DrawnCoverage = onDemand('Coverage on the map', () =>
  import('./drawn/drawn-coverage.tsx').then((coverage) => coverage.DrawnCoverage),
);

const PlacePlate = onDemand('The place’s coordinates', () =>
  import('./place-plate.tsx').then((plate) => plate.PlacePlate),
);
const HoverTip = onDemand(undefined, () => import('./labels/hover-tip.tsx').then((tip) => tip.HoverTip));
const NoStreetMap = onDemand(undefined, () =>
  import('../street-map/street-map.tsx').then((ground) => ground.NoStreetMap),
);

const FADE_MS = 300;
const FAILED: MapAbsence = { kind: 'failed' };

export interface MapViewProps {
  /** The part below the map, next to the coordinates under the pointer. */
  readonly foot: ReactNode;
  /** How many times larger the page shows the map than it is: its pixels stay sharp. */
  readonly scale?: number | undefined;
}

/**
 * The map of received positions, or why there is none: then the rest of the page works on. It draws what the display
 * shows, runs the page's map commands, and publishes its view; it requests nothing of the upstream's data itself.
 */
export function MapView({ foot, scale }: MapViewProps) {
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
      {absence ? <MapAbsent absence={absence} /> : <PresentMap foot={foot} scale={scale} onAbsent={setAbsence} />}
    </Boundary>
  );
}

interface PresentMapProps extends MapViewProps {
  readonly onAbsent: (absence: MapAbsence) => void;
}

function PresentMap({ foot, scale, onAbsent }: PresentMapProps) {
  const { display, mapShown, mapView, ...lookout } = useLookout();
  const { mapStyleUrl } = lookout.server;
  const theme = useResolvedTheme();
  const [{ units, trails, graticule }] = usePreferences();
  const markedPlace = useValue(lookout.markedPlace);
  const regionMap = useValue(lookout.regionMap);
  const isGroundThin = useIsGroundThin();
  const reducesMotion = useMediaQuery('(prefers-reduced-motion: reduce)');
  const hovers = useMediaQuery('(hover: hover)');

  const problems = useMapProblems(onAbsent);
  const publishView = (moved: MapLibreMap) => mapView.set(viewOf(moved));
  const started = useStartedMap({
    mapStyleUrl,
    theme,
    onAbsent,
    onStyle: (created) => addCoveredLayers(created, theme),
    onCreated(created) {
      problems.watch(created);
      // Marks don't wait for tiles: the view is requested with the map's first size.
      publishView(created);
    },
  });
  const { map } = started;
  const problem = started.problem ?? problems.problem;

  useLayoutEffect(() => display.setTheme(theme), [display, theme]);
  const [names] = useState(makeMapNames);
  const { drawn, ready, marks } = useDrawnMarks(map, theme, problems.report);
  useCoveredArea(map, theme);
  // The code of labels, trails and vectors is loaded after the first marks.
  const trailLines = useLiveTrails(ready ? map : undefined, { theme, trails, report: problems.report });
  const vectors = useDrawnVectors(map, theme, problems.report);
  const dimming = useRegionMap(map, theme);
  useMarkedPlace(map);
  useMapCamera(map);
  useEffect(() => {
    if (map && scale !== undefined) map.setPixelRatio(window.devicePixelRatio * scale);
  }, [map, scale]);
  const { handlers, hovered } = useMapPointer(marks, names);

  useEffect(() => {
    if (map && mapStyleUrl === undefined) recolourBasemap(map, theme, { graticule, dimming });
  }, [map, theme, mapStyleUrl, graticule, dimming]);

  useEffect(() => {
    if (ready || problem !== undefined) mapShown.set(true);
  }, [ready, problem, mapShown]);

  const missing = map ? undefined : problem;
  const pending = useMemo<MapAbsence | undefined>(
    () => (missing === undefined ? undefined : { kind: 'pending', problem: missing }),
    [missing],
  );

  return (
    <div className="map-view">
      <section
        className="map-canvas"
        data-testid="map"
        data-ready={ready}
        data-lost={problems.isLost}
        data-region={regionMap.kind}
        data-drawn={drawn}
        data-vectors={vectors}
        data-trail-solid={trailLines.solid}
        data-trail-dotted={trailLines.dotted}
        aria-label="Map of received positions"
      >
        {started.style && (
          <MapGl
            initialViewState={initialViewState(mapView.get())}
            mapStyle={started.style}
            minZoom={MAP_ZOOM.min}
            maxZoom={MAP_ZOOM.max}
            maxPitch={0}
            trackResize={false}
            attributionControl={false}
            fadeDuration={reducesMotion ? 0 : FADE_MS}
            ref={started.ref}
            onLoad={started.onLoad}
            onError={started.onError}
            onMoveEnd={({ target }) => publishView(target as MapLibreMap)}
            onResize={({ target }) => publishView(target as MapLibreMap)}
            {...handlers}
            reuseMaps
          >
            <ScaleBars unit={units === 'imperial' ? 'imperial' : 'metric'} />
            <AttributionControl position="bottom-right" compact />
          </MapGl>
        )}
        {map && hovers && <HoverTip map={map} hovered={hovered} />}
        {map && (
          <DrawnFeatures
            map={map}
            hasMarks={ready}
            theme={theme}
            names={names}
            trails={trails}
            report={problems.report}
          />
        )}
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

/** The theme that an operator has chosen, or the system's; paper is always light. */
function useResolvedTheme(): BasemapTheme {
  const [{ theme }] = usePreferences();
  const printed = useValue(useLookout().printedTheme);
  const systemIsLight = useMediaQuery('(prefers-color-scheme: light)');
  if (printed !== undefined) return printed;
  if (theme !== 'system') return theme;
  return systemIsLight ? 'light' : 'dark';
}

/** Whether the map is closer than the built-in map's details, for an operator who could install a street map. */
function useIsGroundThin(): boolean {
  const { mapView, server } = useLookout();
  const { maps, mapStyleUrl } = server;
  const mayInstall = useMay('administer');
  const [{ hintsSeen }] = usePreferences();
  const isMissing =
    mayInstall && maps.length === 0 && mapStyleUrl === undefined && !hintsSeen.includes(STREET_MAP_HINT);
  return useSyncExternalStore(
    mapView.subscribe,
    () => isMissing && mapView.get().zoom >= THIN_GROUND_ZOOM,
    () => false,
  );
}

function initialViewState({ lon, lat, zoom, bearingDeg }: ViewState) {
  return { longitude: lon, latitude: lat, zoom, bearing: bearingDeg };
}

interface DrawnFeaturesProps extends TrailOptions {
  readonly map: MapLibreMap;
  readonly hasMarks: boolean;
  readonly names: MapNames;
}

/**
 * Everything on the map except its ground and the tracks. Each part loads its code when it is first needed: labels, overlays,
 * zones and alarms after the first marks, or once the map is idle without any.
 */
function DrawnFeatures({ map, hasMarks, names, ...options }: DrawnFeaturesProps) {
  const { coverage, drawing, filter, measuring, myPosition, zones } = useLookout();
  const isReplaying = useIsReplaying();
  const isIdle = useIsIdle(map);
  const hasDraft = useValue(zones.draft) !== undefined;
  const hasPreview = useValue(zones.preview).length > 0;
  const isCoverageShown = useValue(coverage) !== undefined;
  const isDrawing = useValue(drawing) !== NOTHING_DRAWN;
  const { inside } = useValue(filter);
  const hasArea = inside !== undefined && inside !== 'view';
  // The area and the measurement stay once they were needed: removing them would end a press in the middle.
  const isAreaNeeded = useEver(hasArea || isDrawing);
  const isMeasuringNeeded = useEver(useValue(measuring.state) !== NOTHING_MEASURED);
  const isLocated = useValue(myPosition.state).kind === 'known';
  const shared = { map, theme: options.theme };
  return (
    <>
      {isReplaying && <DrawnPast map={map} {...options} />}
      {(hasMarks || isIdle) && (
        <>
          <DrawnOverlays {...shared} />
          <DrawnLabels {...shared} names={names} report={options.report} />
          <DrawnZones {...shared} onNames={names.zones.set} />
          <OwnAirport {...shared} onName={names.airport.set} />
          <DrawnAlarms {...shared} />
        </>
      )}
      {(hasDraft || hasPreview) && <DrawnZoneDraft {...shared} />}
      {isCoverageShown && <DrawnCoverage {...shared} />}
      {isAreaNeeded && <DrawnArea {...shared} />}
      {isMeasuringNeeded && <DrawnMeasuring {...shared} />}
      {isLocated && <DrawnMyPosition {...shared} />}
    </>
  );
}

function useIsIdle(map: MapLibreMap): boolean {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    const onIdle = () => setIdle(true);
    map.once('idle', onIdle);
    return () => {
      map.off('idle', onIdle);
    };
  }, [map]);
  return isIdle;
}

/** Whether the value was true at any rendering so far. */
function useEver(isTrue: boolean): boolean {
  const [wasTrue, setWasTrue] = useState(isTrue);
  if (isTrue && !wasTrue) setWasTrue(true);
  return wasTrue;
}
