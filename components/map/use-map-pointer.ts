'use client';

import {
  type MapBoxZoomEvent,
  type MapLayerMouseEvent,
  type Map as MapLibreMap,
  type MapMouseEvent,
  type MapTouchEvent,
  Marker,
  type Point,
} from 'maplibre-gl';
import { useEffect, useState } from 'react';
import { placed } from '#lib/client/measuring/measuring-state.ts';
import type { Lookout } from '#lib/client/page/lookout.ts';
import { useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import { toolOn } from '#lib/client/page/one-tool.ts';
import { ValueStore } from '#lib/client/value-store.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import type { MapNames } from './labels/map-names.ts';
import type { MarksLayer } from './marks/marks-layer.ts';

/** A mark this close to a click is meant, in CSS pixels. */
const PICK_RADIUS_PX = 16;
/** A mark this close to a click is meant, although the name of a zone lies over it. */
const UNDER_NAME_PX = 6;
/** A smaller box is a click with a trembling hand. */
const BOX_MIN_PX = 5;
/** A long press asks for a place, as a right click does. */
const LONG_PRESS_MS = 600;
/** Clicks this close are at the same place, CSS pixels. */
const SAME_PLACE_PX = 4;

/**
 * Presses on the map. A click selects a track, and repeated clicks cycle through a pile of them. With Ctrl or Shift it
 * adds a track; a drag with Shift adds all in a box. A click on the name of a zone opens its alarm, or the zone. While measuring, a click sets a point. Drawing has its own listeners
 * (drawn-area.tsx, drawn-zone-draft.tsx), and meanwhile nothing is selected.
 * @returns the map component's handlers, and the reference of the track under the pointer
 */
export function useMapPointer(marks: MarksLayer, names: MapNames) {
  const lookout = useLookout();
  const [hovered] = useState(() => new ValueStore<string | undefined>(undefined));
  const [handlers] = useState(() => pointerHandlers(lookout, marks, names, hovered));
  return { hovered, handlers };
}

function pointerHandlers(
  lookout: Lookout,
  marks: MarksLayer,
  names: MapNames,
  hovered: ValueStore<string | undefined>,
) {
  const { display, measuring, selecting, zones } = lookout;
  const pileClicks = new PileClicks();
  const refAt = ({ x, y }: { readonly x: number; readonly y: number }) => {
    const slot = marks.pickSlot(x, y, PICK_RADIUS_PX);
    return slot === undefined ? undefined : display.tracks.refAt(slot);
  };
  const rowAt = ({ x, y }: { readonly x: number; readonly y: number }) =>
    marks.pickSlot(x, y, UNDER_NAME_PX) === undefined ? names.find.get()(x, y)?.opens : undefined;
  const toggleAt = (point: { readonly x: number; readonly y: number }) => {
    if (toolOn(lookout) !== undefined) return;
    const ref = refAt(point);
    if (ref !== undefined) selecting.toggle(ref);
  };
  const leave = () => hovered.set(undefined);

  return {
    boxZoom: {
      boxZoomEnd(_: MapLibreMap, start: Point, end: Point) {
        if (start.dist(end) < BOX_MIN_PX) return toggleAt(start);
        const box = {
          left: Math.min(start.x, end.x),
          top: Math.min(start.y, end.y),
          right: Math.max(start.x, end.x),
          bottom: Math.max(start.y, end.y),
        };
        selecting.addInBox(marks.inBox(box).map((slot) => display.tracks.refAt(slot)));
      },
    },
    // MapLibre reports a Shift click as a box without a size.
    onBoxZoomCancel({ originalEvent: event, target }: MapBoxZoomEvent) {
      if (!(event instanceof MouseEvent)) return;
      const { left, top } = target.getCanvasContainer().getBoundingClientRect();
      toggleAt({ x: event.clientX - left, y: event.clientY - top });
    },
    onClick({ point, lngLat, originalEvent }: MapLayerMouseEvent) {
      const tool = toolOn(lookout);
      if (tool === 'measuring') {
        const ref = refAt(point);
        const place = { lon: wrapLongitude(lngLat.lng), lat: lngLat.lat };
        measuring.change((state) => placed(state, ref === undefined ? { place } : { ref }));
      }
      if (tool !== undefined) return;
      if (originalEvent.ctrlKey || originalEvent.metaKey || selecting.addsMore.get()) return toggleAt(point);
      const row = rowAt(point);
      if (row) return zones.openRow(row);
      const slot = pileClicks.next(marks.pileAt(point.x, point.y, PICK_RADIUS_PX), point.x, point.y);
      display.select(slot === undefined ? undefined : display.tracks.refAt(slot));
    },
    onMouseMove({ point, target }: MapLayerMouseEvent) {
      const tool = toolOn(lookout);
      const ref = tool === undefined || tool === 'measuring' ? refAt(point) : undefined;
      const idle = tool === undefined ? '' : 'crosshair';
      const row = tool === undefined ? rowAt(point) : undefined;
      target.getCanvas().style.cursor = ref === undefined && !row ? idle : 'pointer';
      hovered.set(row ? undefined : ref);
    },
    onMouseOut: leave,
    onMoveStart: leave,
  };
}

/** Repeated clicks at one place cycle through the marks there. */
export class PileClicks {
  #x = Number.NaN;
  #y = Number.NaN;
  #picked: readonly number[] = [];

  /**
   * @param pile best first
   * @returns the slot to select; `undefined` if there is none
   */
  next(pile: readonly number[], xPx: number, yPx: number): number | undefined {
    const isSamePlace = Math.hypot(xPx - this.#x, yPx - this.#y) <= SAME_PLACE_PX;
    const before = isSamePlace ? this.#picked : [];
    const unseen = pile.find((slot) => !before.includes(slot));
    const slot = unseen ?? pile.find((other) => other !== before.at(-1)) ?? pile[0];
    // Measured from the first click, so that a trembling hand does not drift.
    if (!isSamePlace) [this.#x, this.#y] = [xPx, yPx];
    this.#picked = slot === undefined ? [] : unseen === undefined ? [slot] : [...before, slot];
    return slot;
  }
}

/** Marks a place by a right click or a long press, and shows the marked one. */
export function useMarkedPlace(map: MapLibreMap | undefined): void {
  const { markedPlace } = useLookout();
  const place = useValue(markedPlace);

  useEffect(() => {
    if (!map || !place) return;
    const element = document.createElement('div');
    element.className = 'map-place';
    const marker = new Marker({ element }).setLngLat([place.lon, place.lat]).addTo(map);
    // MapLibre makes a marker a button; this one does nothing.
    element.removeAttribute('role');
    element.removeAttribute('aria-label');
    element.removeAttribute('tabindex');
    element.setAttribute('aria-hidden', 'true');
    return () => {
      marker.remove();
    };
  }, [map, place]);

  useEffect(() => {
    if (!map) return;
    let pressing: ReturnType<typeof setTimeout> | undefined;
    const mark = ({ lngLat }: MapMouseEvent | MapTouchEvent) => markedPlace.put({ lon: lngLat.lng, lat: lngLat.lat });
    const onTouch = (event: MapTouchEvent) => {
      clearTimeout(pressing);
      if (event.points.length === 1) pressing = setTimeout(() => mark(event), LONG_PRESS_MS);
    };
    const release = () => clearTimeout(pressing);
    map.on('contextmenu', mark);
    map.on('touchstart', onTouch);
    for (const end of ['touchend', 'touchcancel', 'touchmove'] as const) map.on(end, release);
    return () => {
      release();
      map.off('contextmenu', mark);
      map.off('touchstart', onTouch);
      for (const end of ['touchend', 'touchcancel', 'touchmove'] as const) map.off(end, release);
    };
  }, [map, markedPlace]);
}
