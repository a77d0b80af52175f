'use client';

import { type LngLat, type Map as MapLibreMap, Marker } from 'maplibre-gl';
import { useEffect, useMemo, useState } from 'react';
import {
  type GeoJSONStoreFeatures,
  TerraDraw,
  TerraDrawCircleMode,
  TerraDrawLineStringMode,
  TerraDrawModeUndoRedo,
  TerraDrawPolygonMode,
  TerraDrawSelectMode,
} from 'terra-draw';
import { TerraDrawMapLibreGLAdapter } from 'terra-draw-maplibre-gl-adapter';
import { useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { movedShape, roundedShape, type ShapeType, withShape } from '#lib/client/zones/zone-draft.ts';
import { distanceM } from '#lib/geo/great-circle.ts';
import { nearestCopy, wrapLongitude } from '#lib/geo/longitude.ts';
import { mercatorLatDeg, mercatorY } from '#lib/geo/mercator.ts';
import { distanceText } from '#lib/model/measure-text.ts';
import { shapeBounds, shapeOutline } from '#lib/zones/shape-outline.ts';
import type { ZoneShape } from '#lib/zones/zone.ts';
import { ZONE_CORNERS_MAX } from '#lib/zones/zone-limits.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { outlineOf } from './drawn-zones.tsx';
import { drawnShapeLayers, type FeatureLayers, TOKENS, useFeatures } from './feature-layers.ts';

const DRAFT_LAYERS: FeatureLayers = {
  source: 'zone-draft',
  layers: (theme) => ({ below: drawnShapeLayers('zone-draft', theme) }),
};

/**
 * Draws the zone that an operator draws or changes, and the shapes of an import before they are imported. terra-draw
 * turns presses into corners and draws handles. These layers draw the shape, with its true curves.
 */
export function DrawnZoneDraft({ map, theme }: { readonly map: MapLibreMap; readonly theme: BasemapTheme }) {
  const { zones } = useLookout();
  const draft = useValue(zones.draft);
  const preview = useValue(zones.preview);
  const sketch = useValue(zones.sketch);
  const shape = draft?.isDrawing ? sketch : draft?.shape;
  const features = useMemo(() => {
    const shapes = shape ? [shape, ...preview] : preview;
    return shapes.length > 0 ? draftFeatures(shapes) : undefined;
  }, [shape, preview]);
  useFeatures(map, theme, DRAFT_LAYERS, features);
  const [radiusM, setRadiusM] = useState<number>();
  useRadiusAtPointer(map, radiusM);
  useMoveHandle(map, draft?.isDrawing ? undefined : draft?.shape);

  const isOpen = draft !== undefined;
  const [drawing, setDrawing] = useState<TerraDrawing>();
  useEffect(() => {
    if (!isOpen) return;
    const created = new TerraDrawing(map, {
      theme,
      halfWidthM: () => zones.draft.get()?.halfWidthM ?? 1,
      onSketch: zones.showSketch,
      onRadius: setRadiusM,
      onShape: (drawn) => {
        zones.showSketch(undefined);
        zones.change((state) => withShape(state, drawn));
      },
    });
    setDrawing(created);
    const stop = zones.listen((command) => (command === 'undo' ? created.undo() : created.finish()));
    return () => {
      stop();
      created.stop();
      setDrawing(undefined);
      setRadiusM(undefined);
    };
  }, [map, theme, isOpen, zones]);

  const drawnType = draft?.isDrawing ? draft.shapeType : undefined;
  useEffect(() => {
    if (drawnType !== undefined) drawing?.draw(drawnType);
  }, [drawing, drawnType]);
  useEffect(() => {
    if (drawnType === undefined) drawing?.edit(draft?.shape);
  }, [drawing, drawnType, draft?.shape]);
  return null;
}

/** Shows the radius of a circle next to the pointer. */
function useRadiusAtPointer(map: MapLibreMap, radiusM: number | undefined): void {
  const [{ units }] = usePreferences();
  const [marker] = useState(() => {
    const element = document.createElement('div');
    element.className =
      'pointer-events-none rounded-control border font-sans border-edge bg-surface px-2 py-0.5 font-semibold text-body text-text';
    element.dataset.testid = 'drawn-radius';
    return new Marker({ element, anchor: 'left', offset: [16, 0] });
  });
  useEffect(() => {
    const follow = ({ lngLat }: { readonly lngLat: LngLat }) => void marker.setLngLat(lngLat);
    const following = [map.on('mousemove', follow), map.on('touchmove', follow)];
    return () => {
      for (const each of following) each.unsubscribe();
      marker.remove();
    };
  }, [map, marker]);
  const text = radiusM === undefined ? undefined : distanceText(units, radiusM);
  useEffect(() => {
    if (text === undefined || !marker.getLngLat()) marker.remove();
    else {
      marker.getElement().textContent = text;
      marker.addTo(map);
    }
  }, [map, marker, text]);
}

/** A handle in the middle of a finished shape, which moves all of it. Typed places move it without a pointer. */
function useMoveHandle(map: MapLibreMap, shape: ZoneShape | undefined): void {
  const { zones } = useLookout();
  const [marker] = useState(() => {
    const element = document.createElement('div');
    element.className = 'map-move';
    element.title = 'Move the shape';
    element.dataset.testid = 'move-shape';
    return new Marker({ element, draggable: true });
  });
  useEffect(() => {
    let start: { readonly shape: ZoneShape; readonly at: readonly [number, number] } | undefined;
    const begin = () => {
      const { shape: before } = zones.draft.get() ?? {};
      // The marker has moved by some pixels already.
      start = before && { shape: before, at: middleOf(before) };
    };
    const move = () => {
      if (!start) return;
      const { lng, lat } = marker.getLngLat();
      const moved = movedShape(start.shape, lng - start.at[0], lat - start.at[1]);
      zones.change((state) => withShape(state, moved));
    };
    const listening = [marker.on('dragstart', begin), marker.on('drag', move)];
    return () => {
      for (const each of listening) each.unsubscribe();
      marker.remove();
    };
  }, [marker, zones]);
  const isShown = shape !== undefined;
  useEffect(() => {
    if (shape) marker.setLngLat(middleOf(shape));
  }, [marker, shape]);
  useEffect(() => {
    // Adding it again would end a drag.
    if (isShown) marker.addTo(map);
    else marker.remove();
  }, [map, marker, isShown]);
}

function middleOf(shape: ZoneShape): [number, number] {
  const { west, south, east, north } = shapeBounds(shape);
  return [(west + east) / 2, (south + north) / 2];
}

function draftFeatures(shapes: readonly ZoneShape[]): GeoJSON.FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: shapes.map((shape) => ({
      type: 'Feature',
      properties: {},
      geometry: { type: 'MultiPolygon', coordinates: outlineOf(shape) },
    })),
  };
}

/** A press this close to the first corner closes a shape: a finger covers about 40 pixels. */
const CLOSE_PX = 24;

interface TerraOptions {
  readonly theme: BasemapTheme;
  readonly halfWidthM: () => number;
  readonly onSketch: (shape: ZoneShape) => void;
  /** Called with the radius of a circle while it is drawn or its edge is dragged, and with `undefined` afterwards. */
  readonly onRadius: (radiusM: number | undefined) => void;
  /** Called with a finished shape, and while a corner of a finished one is dragged. */
  readonly onShape: (shape: ZoneShape) => void;
}

/** One drawing or editing with terra-draw on a map. `stop` it before another begins. */
class TerraDrawing {
  readonly #draw: TerraDraw;
  readonly #map: MapLibreMap;
  readonly #options: TerraOptions;
  #type: ShapeType = 'Polygon';
  /** The shape whose handles are shown. */
  #shape: ZoneShape | undefined;
  /** The geometry of the shape that terra-draw was given, as JSON. */
  #given: string | undefined;

  constructor(map: MapLibreMap, options: TerraOptions) {
    this.#map = map;
    this.#options = options;
    const adapter = new TerraDrawMapLibreGLAdapter({ map, prefixId: 'zone-terra', coordinatePrecision: 9 });
    this.#draw = new TerraDraw({
      adapter,
      modes: modesIn(options.theme),
      undoRedo: { modeLevel: new TerraDrawModeUndoRedo() },
    });
    this.#draw.start();
    this.#draw.on('change', (_, type, context) => {
      if (context && 'origin' in context && context.origin === 'api') return;
      if (type === 'update' || type === 'create') this.#report(false);
    });
    this.#draw.on('finish', () => this.#report(true));
  }

  draw(type: ShapeType): void {
    this.#type = type;
    this.#shape = undefined;
    this.#draw.clear();
    this.#draw.setMode(MODE_OF[type]);
  }

  /** `undefined` hides the handles. */
  edit(shape: ZoneShape | undefined): void {
    if (shape === this.#shape && this.#draw.getMode() === 'select') return;
    this.#shape = shape;
    this.#draw.setMode('select');
    this.#draw.clear();
    const feature = shape && editableFeature(shape);
    if (!shape || !feature) return;
    this.#type = shape.type;
    this.#given = JSON.stringify(feature.geometry);
    const [added] = this.#draw.addFeatures([feature]);
    if (added?.valid && added.id !== undefined) this.#draw.selectFeature(added.id);
  }

  undo(): void {
    this.#draw.undo();
  }

  finish(): void {
    // terra-draw finishes by this key alone.
    this.#map.getCanvas().dispatchEvent(new KeyboardEvent('keyup', { key: 'Enter' }));
  }

  stop(): void {
    this.#draw.stop();
  }

  #report(isFinished: boolean): void {
    const modes: readonly unknown[] = Object.values(MODE_OF);
    const feature = this.#draw.getSnapshot().find(({ geometry, properties }) => {
      return geometry.type !== 'Point' && modes.includes(properties.mode);
    });
    const drawn = feature && drawnShape(this.#type, feature, this.#options.halfWidthM());
    if (!drawn) return;
    const isEdited = this.#draw.getMode() === 'select';
    // Selecting reports too, and a circle read from its corners is not the typed one.
    if (isEdited && JSON.stringify(feature.geometry) === this.#given) return;
    this.#given = undefined;
    const shape = roundedShape(drawn);
    this.#options.onRadius(shape.type === 'Circle' && !isFinished ? shape.radius_m : undefined);
    if (isEdited) this.#shape = shape;
    if (isEdited || isFinished) this.#options.onShape(shape);
    else this.#options.onSketch(shape);
  }
}

function modesIn(theme: BasemapTheme) {
  const { focus: line, ground: inside } = TOKENS[theme];
  // The shape is hidden here, since the layers of the draft draw it.
  const hidden = { fillOpacity: 0, outlineOpacity: 0 };
  const closing = {
    closingPointColor: inside,
    closingPointWidth: 6,
    closingPointOutlineColor: line,
    closingPointOutlineWidth: 2,
  };
  const corners = {
    coordinatePointColor: inside,
    coordinatePointWidth: 4,
    coordinatePointOutlineColor: line,
    coordinatePointOutlineWidth: 2,
  };
  const keyEvents = { cancel: null, finish: 'Enter' };
  const editable = {
    feature: {
      draggable: false,
      coordinates: { midpoints: { draggable: true }, draggable: true, deletable: true },
    },
  };
  return [
    new TerraDrawPolygonMode({
      keyEvents,
      pointerDistance: CLOSE_PX,
      showCoordinatePoints: true,
      styles: { ...hidden, ...closing, ...corners, outlineColor: line, outlineWidth: 2, outlineOpacity: 1 },
    }),
    new TerraDrawLineStringMode({
      keyEvents,
      pointerDistance: CLOSE_PX,
      showCoordinatePoints: true,
      finishOnNthCoordinate: ZONE_CORNERS_MAX,
      styles: { ...closing, ...corners, lineStringColor: line, lineStringWidth: 2 },
    }),
    new TerraDrawCircleMode({
      keyEvents,
      drawInteraction: 'click-move-or-drag',
      styles: { ...hidden, outlineColor: line, outlineWidth: 2, outlineOpacity: 1 },
    }),
    new TerraDrawSelectMode({
      // terra-draw drops each n-th move, but the last one places the corner.
      dragEventThrottle: Number.MAX_SAFE_INTEGER,
      allowManualDeselection: false,
      allowManualSelection: false,
      pointerDistance: CLOSE_PX,
      keyEvents: null,
      flags: {
        polygon: editable,
        linestring: editable,
        circle: { feature: { draggable: true, coordinates: { resizable: 'center-fixed' } } },
      },
      styles: {
        selectedPolygonFillOpacity: 0,
        selectedPolygonOutlineOpacity: 0,
        selectedLineStringColor: line,
        selectedLineStringWidth: 1.5,
        selectionPointColor: inside,
        selectionPointWidth: 6,
        selectionPointOutlineColor: line,
        selectionPointOutlineWidth: 2,
        midPointColor: inside,
        midPointWidth: 3.5,
        midPointOutlineColor: line,
        midPointOutlineWidth: 1,
      },
    }),
  ];
}

const MODE_OF: Readonly<Record<ShapeType, 'polygon' | 'circle' | 'linestring'>> = {
  Polygon: 'polygon',
  Circle: 'circle',
  Corridor: 'linestring',
};

type Drawn = Pick<GeoJSONStoreFeatures, 'geometry'>;

/** @param halfWidthM of a corridor */
export function drawnShape(type: ShapeType, { geometry }: Drawn, halfWidthM: number): ZoneShape | undefined {
  if (type === 'Corridor')
    return geometry.type === 'LineString'
      ? { type, line: geometry.coordinates.map(pointOf), half_width_m: halfWidthM }
      : undefined;
  if (geometry.type !== 'Polygon') return undefined;
  const ring = (geometry.coordinates[0] ?? []).map(pointOf);
  return type === 'Polygon' ? { type, coordinates: [ring] } : circleOf(ring);
}

/** `undefined` for holes and shapes across 180°, which terra-draw cannot edit. */
export function editableFeature(shape: ZoneShape): GeoJSONStoreFeatures | undefined {
  const properties = { mode: MODE_OF[shape.type] };
  if (shape.type === 'Corridor') {
    if (crosses180(shape.line)) return undefined;
    return { type: 'Feature', properties, geometry: { type: 'LineString', coordinates: shape.line } };
  }
  const rings = shape.type === 'Polygon' ? shape.coordinates : circleRing(shape);
  const [ring = []] = rings;
  if (rings.length !== 1 || crosses180(ring)) return undefined;
  const isCircle = shape.type === 'Circle';
  return {
    type: 'Feature',
    properties: { ...properties, ...(isCircle && { radiusKilometers: shape.radius_m / 1000 }) },
    geometry: { type: 'Polygon', coordinates: [ring] },
  };
}

/** An edited circle has so many corners. */
const HANDLES = 12;

function circleRing(shape: ZoneShape): [number, number][][] {
  const [[ring = []] = []] = shapeOutline(shape);
  const step = Math.max(1, Math.floor((ring.length - 1) / HANDLES));
  const corners = ring.slice(0, -1).filter((_, index) => index % step === 0);
  const [first] = corners;
  return first ? [[...corners, first].map(([lon, lat]) => [Number(lon.toFixed(8)), Number(lat.toFixed(8))])] : [];
}

/** Mercator keeps circles, so the middle of the corners is the centre. */
function circleOf(ring: readonly [number, number][]): ZoneShape | undefined {
  const [first] = ring;
  if (!first) return undefined;
  const lons = ring.map(([lon]) => nearestCopy(lon, first[0]));
  const ys = ring.map(([, lat]) => mercatorY(lat));
  const lon = (Math.min(...lons) + Math.max(...lons)) / 2;
  const lat = mercatorLatDeg((Math.min(...ys) + Math.max(...ys)) / 2);
  const radius_m = distanceM({ lon, lat }, { lon: first[0], lat: first[1] });
  return { type: 'Circle', centre: [wrapLongitude(lon), lat], radius_m };
}

function crosses180(points: readonly (readonly [number, number])[]): boolean {
  return points.some(([lon], index) => {
    const before = points[index - 1]?.[0] ?? lon;
    return lon < -180 || lon > 180 || Math.abs(lon - before) > 180;
  });
}

function pointOf([lon = 0, lat = 0]: readonly number[]): [number, number] {
  return [wrapLongitude(lon), lat];
}
