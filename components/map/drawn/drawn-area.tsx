'use client';

import type { Map as MapLibreMap, MapMouseEvent, MapTouchEvent, Point } from 'maplibre-gl';
import { useEffect, useMemo } from 'react';
import {
  draftOf,
  finishedArea,
  type Handle,
  handlesOf,
  withChanged,
  withCorner,
  withHandleAt,
  withPointer,
  withProblem,
} from '#lib/client/area/drawing-state.ts';
import type { Lookout } from '#lib/client/page/lookout.ts';
import { useFilter, useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import { drawnArea, type TrackFilter } from '#lib/filter/track-filter.ts';
import type { Area } from '#lib/geo/area.ts';
import { boxRing } from '#lib/geo/bbox.ts';
import { mapLines } from '#lib/geo/geodesic-lines.ts';
import { destination, type LonLat } from '#lib/geo/great-circle.ts';
import { nearestCopy, wrapLongitude } from '#lib/geo/longitude.ts';
import { areaRings } from '#lib/zones/zone-area.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { drawnShapeLayers, type FeatureLayers, TOKENS, useFeatures } from './feature-layers.ts';

/** A press this close grabs a handle, in CSS pixels; a finger covers more than a mouse. */
const GRAB_PX = { mouse: 10, touch: 24 } as const;

/** A shorter drag is the click of a trembling hand. */
const DRAG_MIN_PX = 5;

/**
 * Draws the area of the filter, and lets an operator draw and change a circle or a polygon: a press for each corner, or a drag
 * from a circle's middle. It has no use of terra-draw, which draws zones: areas reach across 180°, and keep the centre and
 * radius of a circle (docs/decisions/0035-draw-areas-with-our-own-tool-and-zones-with-terra-draw.md).
 */
export function DrawnArea({ map, theme }: { readonly map: MapLibreMap; readonly theme: BasemapTheme }) {
  const lookout = useLookout();
  const state = useValue(lookout.drawing);
  const { filter } = useFilter();
  const finished = drawnArea(filter);
  const features = useMemo(() => {
    const draft = draftOf(state);
    const isDrawing = state.tool === 'circle' || state.tool === 'polygon';
    const shown = isDrawing ? draft : (draft ?? finished);
    const corners = state.corners.map((at) => ({ kind: 'corner' as const, at }));
    return areaFeatures(shown, !isDrawing, state.tool === 'change' ? handlesHere(shown) : corners);
  }, [state, finished]);
  useFeatures(map, theme, AREA_LAYERS, features);
  const box = useMemo(() => boxOutline(filter.inside), [filter.inside]);
  useFeatures(map, theme, BOX_LAYERS, box);

  useEffect(() => takePresses(map, lookout), [map, lookout]);
  return null;
}

function handlesHere(area: Area | undefined): readonly Handle[] {
  return area
    ? handlesOf(area, ({ centre, radiusM }) => {
        const { lon, lat } = destination(centre, 90, radiusM);
        return { lon: nearestCopy(lon, centre.lon), lat };
      })
    : [];
}

type Press = MapMouseEvent | MapTouchEvent;

function takePresses(map: MapLibreMap, lookout: Lookout): () => void {
  const { drawing } = lookout;
  let pressedAt: Point | undefined;
  let dragged: { readonly area: Area; readonly handle: Handle } | undefined;

  const change = drawing.change.bind(drawing);
  const keep = (area: Area | undefined) => {
    const finished = finishedArea(area);
    if (finished.area) {
      if (drawing.isForFilter) lookout.filter.change({ inside: finished.area });
      if (drawing.get().tool === 'change') drawing.start('change');
      else drawing.end(finished.area);
    } else change((state) => withProblem(state, finished.problem));
  };
  const onDown = (event: Press) => {
    if ('points' in event && event.points.length > 1) return;
    if ('button' in event.originalEvent && (event.originalEvent.button !== 0 || event.originalEvent.shiftKey)) return;
    pressedAt = event.point;
    const { tool } = drawing.get();
    if (tool === 'circle') {
      event.preventDefault();
      change((state) => withCorner(state, placeOf(event)));
    }
    if (tool !== 'change') return;
    const area = drawnArea(lookout.filter.get());
    const reachPx = GRAB_PX['points' in event ? 'touch' : 'mouse'];
    const handle = handlesHere(area)
      .map((each) => ({ each, px: map.project([each.at.lon, each.at.lat]).dist(event.point) }))
      .filter(({ px }) => px <= reachPx)
      .sort((a, b) => a.px - b.px)[0]?.each;
    if (!area || !handle) return;
    event.preventDefault();
    dragged = { area, handle };
  };
  const onMove = (event: Press) => {
    // The button was released outside the map.
    if (dragged && 'buttons' in event.originalEvent && event.originalEvent.buttons === 0) onUp(event);
    if (dragged) {
      const changed = withHandleAt(dragged.area, dragged.handle, placeOf(event));
      change((state) => withChanged(state, changed));
    } else change((state) => withPointer(state, placeOf(event)));
  };
  const onUp = (event: Press) => {
    const isDrag = pressedAt !== undefined && pressedAt.dist(event.point) >= DRAG_MIN_PX;
    pressedAt = undefined;
    if (dragged) {
      dragged = undefined;
      const { changed } = drawing.get();
      if (changed) keep(changed);
    } else if (drawing.get().tool === 'circle' && isDrag) keep(draftOf(withPointer(drawing.get(), placeOf(event))));
  };
  const onClick = (event: MapMouseEvent) => {
    const { tool, corners } = drawing.get();
    const [first] = corners;
    if (tool === 'polygon') {
      const isClosing = first && corners.length > 2 && isNear(map, first, event.point);
      if (isClosing) keep(draftOf(withPointer(drawing.get(), undefined)));
      else change((state) => withCorner(state, placeOf(event)));
    }
    // This click's press placed the centre, unless an earlier one did.
    if (tool === 'circle' && first && !isNear(map, first, event.point))
      keep(draftOf(withPointer(drawing.get(), placeOf(event))));
  };
  const onDoubleClick = (event: MapMouseEvent) => {
    if (drawing.get().tool !== 'polygon') return;
    event.preventDefault();
    keep(draftOf(withPointer(drawing.get(), undefined)));
  };
  const zoomByDoubleClick = () => {
    if (drawing.get().tool === undefined) map.doubleClickZoom.enable();
    else map.doubleClickZoom.disable();
  };
  const listeners = [
    map.on('mousedown', onDown),
    map.on('touchstart', onDown),
    map.on('mousemove', onMove),
    map.on('touchmove', onMove),
    map.on('mouseup', onUp),
    map.on('touchend', onUp),
    map.on('click', onClick),
    map.on('dblclick', onDoubleClick),
  ];
  const stop = drawing.subscribe(zoomByDoubleClick);
  zoomByDoubleClick();
  // Presses before it have no effect: this code loads when an area is first drawn.
  map.getContainer().dataset.draws = 'area';
  return () => {
    stop();
    delete map.getContainer().dataset.draws;
    for (const listener of listeners) listener.unsubscribe();
    map.doubleClickZoom.enable();
  };
}

function isNear(map: MapLibreMap, place: LonLat, point: Point): boolean {
  return map.project([place.lon, place.lat]).dist(point) <= GRAB_PX.mouse;
}

function placeOf({ lngLat }: Press): LonLat {
  return { lon: wrapLongitude(lngLat.lng), lat: lngLat.lat };
}

const SOURCE = 'area';

type AreaFeatures = GeoJSON.FeatureCollection<GeoJSON.Geometry, { readonly kind: string }>;

const AREA_LAYERS: FeatureLayers = {
  source: SOURCE,
  layers(theme) {
    const { focus: line, ground: casing } = TOKENS[theme];
    return {
      below: drawnShapeLayers(SOURCE, theme),
      above: [
        {
          id: 'area-handles',
          type: 'circle',
          source: SOURCE,
          filter: ['in', ['get', 'kind'], ['literal', ['handle', 'between']]],
          paint: {
            'circle-radius': ['match', ['get', 'kind'], 'between', 3.5, 6],
            'circle-color': casing,
            'circle-stroke-color': line,
            'circle-stroke-width': ['match', ['get', 'kind'], 'between', 1.25, 2.25],
          },
        },
      ],
    };
  },
};

/** @param isFinished false for a draft, which shows only its edge */
function areaFeatures(
  area: Area | undefined,
  isFinished: boolean,
  handles: readonly Pick<Handle, 'kind' | 'at'>[],
): AreaFeatures {
  const features: AreaFeatures['features'] = [];
  if (area) {
    const lines = areaRings(area).flatMap(mapLines);
    features.push({
      type: 'Feature',
      properties: { kind: 'edge' },
      geometry: { type: 'MultiLineString', coordinates: lines },
    });
    if (isFinished)
      features.push({
        type: 'Feature',
        properties: { kind: 'fill' },
        geometry: { type: 'Polygon', coordinates: lines },
      });
  }
  for (const { kind, at } of handles) features.push(handleFeature(at, kind === 'between' ? 'between' : 'handle'));
  return { type: 'FeatureCollection', features };
}

function handleFeature({ lon, lat }: LonLat, kind: string): AreaFeatures['features'][number] {
  return { type: 'Feature', properties: { kind }, geometry: { type: 'Point', coordinates: [lon, lat] } };
}

const BOX_LAYERS: FeatureLayers = {
  source: 'filter-area',
  layers: (theme) => ({
    below: [
      {
        id: 'filter-area',
        type: 'line',
        source: 'filter-area',
        paint: { 'line-color': TOKENS[theme].focus, 'line-width': 1.5, 'line-dasharray': [2, 2] },
      },
    ],
  }),
};

/** A filter's box, such as a view that was kept, is not drawn by hand. */
function boxOutline(inside: TrackFilter['inside']): GeoJSON.LineString | undefined {
  if (!inside || inside === 'view' || 'kind' in inside) return undefined;
  return { type: 'LineString', coordinates: boxRing(inside) };
}
