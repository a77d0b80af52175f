'use client';

import type { CustomLayerInterface, Map as MapLibreMap } from 'maplibre-gl';
import { useEffect, useState } from 'react';
import * as z from 'zod/mini';
import { MARK_THEMES, type MarkThemeName } from '#components/ui/marks/mark-theme.ts';
import { sessionStore } from '#lib/client/browser/storage.ts';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import { MARK_EMERGENCY, MARK_EXPIRED } from '#lib/picture/mark-style.ts';
import type { Picture } from '#lib/picture/picture.ts';
import { atMostEvery } from '../at-most-every.ts';
import type { ReportProblem } from '../use-map-problems.ts';
import { graphicsProblem, makeMercatorLayer, restoreCustomLayer } from '../webgl/mercator-layer.ts';
import type { WorldCopies } from '../webgl/world-copies.ts';
import { type MarkRecords, type MercatorBounds, makeMarkRecords } from './mark-records.ts';
import { type MarkRenderer, makeMarkRenderer } from './mark-renderer.ts';
import { type MarkSize, markLook } from './mark-size.ts';

export interface DrawnMarks {
  /** Whether any mark has been drawn. */
  readonly ready: boolean;
  /** How many marks are drawn. */
  readonly drawn: number;
  readonly marks: MarksLayer;
}

/** A replay's picture changes every frame: too often for React. */
const COUNT_EVERY_MS = 200;

/**
 * Draws the marks of each picture of the display as it comes, below the labels. React renders only their number, a few times
 * a second.
 */
export function useDrawnMarks(map: MapLibreMap | undefined, theme: MarkThemeName, report: ReportProblem): DrawnMarks {
  const { display, mapView } = useLookout();
  const [{ markSize }] = usePreferences();
  const [marks] = useState(() =>
    makeMarksLayer({
      theme,
      size: markSize,
      // It is off by default: user timings would accumulate in a tab that is open for days.
      measure: sessionStore.read('lookout.measure', z.literal(1)) !== undefined,
      onFailure: (error) => report('marks', graphicsProblem('positions', error)),
    }),
  );
  const [drawn, setDrawn] = useState(0);
  const [ready, setReady] = useState(false);

  useEffect(() => (map ? restoreCustomLayer(map, marks) : undefined), [map, marks]);
  useEffect(() => marks.setTheme(theme), [marks, theme]);
  useEffect(() => marks.setSize(markSize), [marks, markSize]);

  useEffect(() => {
    if (!map) return;
    const recount = atMostEvery(COUNT_EVERY_MS, () => {
      const count = marks.drawnCount();
      setDrawn(count);
      if (count > 0) setReady(true);
    });
    const draw = () => {
      marks.setPicture(display.picture());
      // A change outside the view draws no frame.
      recount();
    };
    draw();
    const stops = [display.subscribe(draw), mapView.subscribe(draw)];
    map.on('render', recount);
    return () => {
      for (const stop of stops) stop();
      map.off('render', recount);
      recount.stop();
    };
  }, [map, marks, display, mapView]);

  return { ready, drawn, marks };
}

export interface PickView {
  /** The matrix from Mercator 0…1 to clip space, column-major and in double precision. */
  readonly matrix: ArrayLike<number>;
  readonly copies: WorldCopies;
  readonly widthPx: number;
  readonly heightPx: number;
}

export interface ScreenBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface MarksLayerOptions {
  readonly theme: MarkThemeName;
  readonly size: MarkSize;
  /** Whether packing, uploading and drawing are timed, for the benchmark `marks`. */
  readonly measure: boolean;
  /** Called once if the GPU refuses the shaders: no mark is drawn from then on, which must not pass for an empty sky. */
  readonly onFailure: (error: Error) => void;
}

/**
 * The layer of marks: packs each picture, draws it, and knows which marks are at a point or in a box of the screen.
 * It draws, counts and picks nothing on a globe.
 */
export interface MarksLayer extends CustomLayerInterface {
  /** Copies the picture. Draws a frame only if a mark in view changed. */
  setPicture(picture: Picture): void;
  setTheme(theme: MarkThemeName): void;
  setSize(size: MarkSize): void;
  /**
   * The slot of the track at a point, in CSS pixels from the container's upper left. Prefers current marks, then the
   * nearest, then the topmost; `undefined` if none is within `radiusPx`.
   */
  pickSlot(xPx: number, yPx: number, radiusPx: number): number | undefined;
  /** The slots of all tracks within `radiusPx`, best first. */
  pileAt(xPx: number, yPx: number, radiusPx: number): number[];
  /** The slots of all tracks in a box: emergencies first, then by their distance from its middle. */
  inBox(box: ScreenBox): number[];
  /** The number of marks, each once, however many world copies show it; 0 until a frame is drawn. */
  drawnCount(): number;
}

/** A mark with all its decorations reaches so far from its position, in symbol pixels. */
const MARK_REACH_PX = 22;

const WORLD_PX = 512;

function makeMarksLayer({ measure, onFailure, ...options }: MarksLayerOptions): MarksLayer {
  const marks = makeMarkRecords();
  let theme = MARK_THEMES[options.theme];
  let { size } = options;
  let needsUpload = true;
  let lastView: PickView | undefined;

  const { layer, map, repaint } = makeMercatorLayer<MarkRenderer>({
    id: 'marks',
    makeRenderer: makeMarkRenderer,
    onFailure,
    // Clicks need the view even without marks.
    isEmpty: () => false,
    copiesMargin: (drawnOn, widthPx, heightPx) =>
      (2 * MARK_REACH_PX * markLook(drawnOn.getZoom(), size).symbolScale) / Math.min(widthPx, heightPx),
    draw(renderer, view, drawnOn, isNew) {
      const look = markLook(drawnOn.getZoom(), size);
      const frame = { ...view, bearingDeg: drawnOn.getBearing(), look, theme };
      if (needsUpload || isNew) timed('lookout:marks-upload', () => renderer.upload(marks));
      needsUpload = false;
      if (marks.count() > 0) timed('lookout:marks-draw', () => renderer.draw(frame, marks));
      lastView = view;
    },
  });

  function timed(name: string, work: () => void): void {
    if (!measure) {
      work();
      return;
    }
    const start = performance.now();
    work();
    performance.measure(name, { start, end: performance.now() });
  }

  /** The view, with a margin for marks just outside. */
  function boundsInView(): MercatorBounds {
    const shownOn = map();
    if (shownOn === undefined) return { west: 0, east: 0, north: 0, south: 0 };
    const bounds = shownOn.getBounds();
    const zoom = shownOn.getZoom();
    const margin = (MARK_REACH_PX * markLook(zoom, size).symbolScale) / (WORLD_PX * 2 ** zoom);
    return {
      west: mercatorX(bounds.getWest()) - margin,
      east: mercatorX(bounds.getEast()) + margin,
      north: mercatorY(bounds.getNorth()) - margin,
      south: mercatorY(bounds.getSouth()) + margin,
    };
  }

  return {
    ...layer,
    onRemove(removedFrom, gl) {
      layer.onRemove?.(removedFrom, gl);
      lastView = undefined;
    },
    render(gl, input) {
      lastView = undefined;
      layer.render(gl, input);
    },
    setPicture(picture) {
      timed('lookout:marks-pack', () => marks.pack(picture));
      const change = lastView === undefined ? 'inside' : marks.changeWithin(boundsInView());
      if (change !== 'none') needsUpload = true;
      if (change === 'inside') repaint();
    },
    setTheme(name) {
      theme = MARK_THEMES[name];
      repaint();
    },
    setSize(changed) {
      if (changed === size) return;
      size = changed;
      repaint();
    },
    pickSlot(xPx, yPx, radiusPx) {
      const shownOn = map();
      if (lastView === undefined || shownOn === undefined) return undefined;
      // The map may have been resized since its last frame; its middle stays.
      const { clientWidth, clientHeight } = shownOn.getCanvas();
      const view = { ...lastView, widthPx: clientWidth, heightPx: clientHeight };
      const place = pickMark(marks, view, xPx, yPx, radiusPx);
      return place === undefined ? undefined : marks.slotAt(place);
    },
    pileAt(xPx, yPx, radiusPx) {
      const places = lastView === undefined ? [] : marksNear(marks, lastView, xPx, yPx, radiusPx);
      return places.map((place) => marks.slotAt(place));
    },
    inBox(box) {
      const places = lastView === undefined ? [] : marksInBox(marks, lastView, box);
      return places.map((place) => marks.slotAt(place));
    },
    drawnCount: () => (lastView === undefined ? 0 : marks.count()),
  };
}

/**
 * The mark under the pointer.
 * @returns a place in the drawing order: current marks win, then the nearest, then the topmost; `undefined` if none is
 * within `radiusPx`
 */
export function pickMark(
  marks: MarkRecords,
  view: PickView,
  xPx: number,
  yPx: number,
  radiusPx: number,
): number | undefined {
  let current: number | undefined;
  let expired: number | undefined;
  let currentSquare = radiusPx * radiusPx;
  let expiredSquare = currentSquare;
  for (let place = 0; place < marks.count(); place++) {
    const square = distanceSquare(view, marks.mercatorXAt(place), marks.mercatorYAt(place), xPx, yPx);
    if ((marks.styleAt(place) & MARK_EXPIRED) === 0) {
      if (square > currentSquare) continue;
      current = place;
      currentSquare = square;
    } else if (square <= expiredSquare) {
      expired = place;
      expiredSquare = square;
    }
  }
  return current ?? expired;
}

/** @returns places in the drawing order, best first */
export function marksNear(marks: MarkRecords, view: PickView, xPx: number, yPx: number, radiusPx: number): number[] {
  const near: { place: number; square: number; expired: boolean }[] = [];
  for (let place = 0; place < marks.count(); place++) {
    const square = distanceSquare(view, marks.mercatorXAt(place), marks.mercatorYAt(place), xPx, yPx);
    if (square <= radiusPx * radiusPx)
      near.push({ place, square, expired: (marks.styleAt(place) & MARK_EXPIRED) !== 0 });
  }
  near.sort((a, b) => Number(a.expired) - Number(b.expired) || a.square - b.square || b.place - a.place);
  return near.map(({ place }) => place);
}

export function marksInBox(marks: MarkRecords, view: PickView, box: ScreenBox): number[] {
  const inside: { place: number; square: number; isEmergency: boolean }[] = [];
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  const isInside = (dx: number, dy: number) =>
    Math.abs(dx) <= (box.right - box.left) / 2 && Math.abs(dy) <= (box.bottom - box.top) / 2;
  for (let place = 0; place < marks.count(); place++) {
    const square = distanceSquare(view, marks.mercatorXAt(place), marks.mercatorYAt(place), x, y, isInside);
    if (square === Number.POSITIVE_INFINITY) continue;
    inside.push({ place, square, isEmergency: (marks.styleAt(place) & MARK_EMERGENCY) !== 0 });
  }
  inside.sort((a, b) => Number(b.isEmergency) - Number(a.isEmergency) || a.square - b.square || a.place - b.place);
  return inside.map(({ place }) => place);
}

/**
 * The squared distance to the mark in its nearest world copy, px²; infinite behind the camera, and where `counts` says
 * no.
 */
function distanceSquare(
  view: PickView,
  mercatorX: number,
  mercatorY: number,
  xPx: number,
  yPx: number,
  counts: (dx: number, dy: number) => boolean = () => true,
): number {
  const { matrix: m, copies, widthPx, heightPx } = view;
  let nearest = Number.POSITIVE_INFINITY;
  for (let copy = copies.first; copy <= copies.last; copy++) {
    const x = mercatorX + copy;
    const w = m[3]! * x + m[7]! * mercatorY + m[15]!;
    if (w <= 0) continue;
    const dx = (((m[0]! * x + m[4]! * mercatorY + m[12]!) / w + 1) / 2) * widthPx - xPx;
    const dy = ((1 - (m[1]! * x + m[5]! * mercatorY + m[13]!) / w) / 2) * heightPx - yPx;
    if (counts(dx, dy)) nearest = Math.min(nearest, dx * dx + dy * dy);
  }
  return nearest;
}
