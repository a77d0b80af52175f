'use client';

import type { MapLibreEvent, Map as MapLibreMap } from 'maplibre-gl';
import { useEffect } from 'react';
import type { Lookout } from '#lib/client/page/lookout.ts';
import { useIsReplaying, useLookout } from '#lib/client/page/lookout-context.tsx';
import type { ViewState } from '#lib/client/page/page-map.ts';
import { afterDrag } from '#lib/client/page/selecting.ts';
import { nearestCopy } from '#lib/geo/longitude.ts';
import { wrappedBox } from '#lib/geo/view-box.ts';
import { atMostEvery } from './at-most-every.ts';
import { readMapPixels } from './map-readings.tsx';
import { runMapCommand } from './run-map-command.ts';

/** MapLibre itself fits the map at most this often. */
const FIT_EVERY_MS = 50;
/** A followed track this close to the middle counts as centred. */
const CENTRED_PX = 0.5;
/** The selected mark stays this far from the edge of a map that shrinks. */
const MARGIN_PX = 48;

/**
 * Moves the map for the commands of the page, for a followed track, and when its place changes its size. In a replay,
 * arrow keys step through time and not over the map.
 */
export function useMapCamera(map: MapLibreMap | undefined): void {
  const lookout = useLookout();
  const isReplaying = useIsReplaying();

  useEffect(() => {
    if (!map) return;
    const { mapCommands } = lookout;
    const stops = [
      mapCommands.listen((command) => runMapCommand(map, command, lookout, () => readMapPixels(map))),
      fitToPlace(map),
      followTrack(map, lookout),
      keepSelectedInView(map, lookout),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [map, lookout]);

  useEffect(() => {
    if (isReplaying) map?.keyboard.disable();
    else map?.keyboard.enable();
  }, [map, isReplaying]);
}

/** Where the map is and what it shows, as the rest of the page knows it. */
export function viewOf(map: MapLibreMap): ViewState {
  const { lng, lat } = map.getCenter();
  const bounds = map.getBounds();
  const visible = wrappedBox({
    west: bounds.getWest(),
    south: bounds.getSouth(),
    east: bounds.getEast(),
    north: bounds.getNorth(),
  });
  return { lon: lng, lat, zoom: map.getZoom(), bearingDeg: map.getBearing(), visible };
}

/** Keeps the map as large as its place, but never changes its size under a finger or in the middle of a move. */
function fitToPlace(map: MapLibreMap): () => void {
  const container = map.getContainer();
  let isPaused = false;
  let [width, height] = [0, 0];

  const fit = () => {
    const { clientWidth, clientHeight } = container;
    const isFit = clientWidth === width && clientHeight === height;
    // A hidden place has no size, and MapLibre would make one up.
    const isShown = clientWidth > 0 && clientHeight > 0;
    if (isFit || !isShown || isPaused || map.isMoving()) return;
    [width, height] = [clientWidth, clientHeight];
    map.resize();
    map.redraw();
  };
  const fitSometimes = atMostEvery(FIT_EVERY_MS, fit);
  // MapLibre may fire `moveend` in a frame, where it cannot render again.
  const fitAfterFrame = () => requestAnimationFrame(fit);
  const hold = () => {
    isPaused = true;
  };
  const release = () => {
    if (!isPaused) return;
    isPaused = false;
    // By the next frame the map has moved or glides.
    requestAnimationFrame(fitAfterFrame);
  };

  const observer = new ResizeObserver(fitSometimes);
  observer.observe(container);
  container.addEventListener('pointerdown', hold);
  window.addEventListener('pointerup', release);
  window.addEventListener('pointercancel', release);
  map.on('moveend', fitAfterFrame);
  return () => {
    observer.disconnect();
    fitSometimes.stop();
    container.removeEventListener('pointerdown', hold);
    window.removeEventListener('pointerup', release);
    window.removeEventListener('pointercancel', release);
    map.off('moveend', fitAfterFrame);
  };
}

/**
 * Keeps the last received position of a followed track in the middle, without motion in between. Zooming anchors on the
 * track; moving the map by hand pauses it.
 */
function followTrack(map: MapLibreMap, { display, selecting }: Pick<Lookout, 'display' | 'selecting'>): () => void {
  const { focus } = selecting;
  let isAnchored = false;
  let lastMove = '';
  const anchorZoom = (isFollowing: boolean) => {
    if (isFollowing === isAnchored) return;
    isAnchored = isFollowing;
    for (const handler of [map.scrollZoom, map.touchZoomRotate]) {
      // An enabled handler ignores the option.
      handler.disable();
      handler.enable(isFollowing ? { around: 'center' } : undefined);
    }
  };
  const centre = (animate: boolean) => {
    const isFollowing = focus.get().following === 'on';
    anchorZoom(isFollowing);
    const position = isFollowing ? display.summary().selected?.position : undefined;
    // A zoom is never cut short; its end calls this again.
    if (!position || map.isMoving()) return;
    const { lng, lat } = map.getCenter();
    const target: [number, number] = [nearestCopy(position.lon, lng), position.lat];
    const { x, y } = map.project(target);
    const { clientWidth, clientHeight } = map.getContainer();
    if (Math.hypot(x - clientWidth / 2, y - clientHeight / 2) < CENTRED_PX) return;
    // The map may miss the middle while its new size is unknown; the move's end calls this again.
    const move = [lng.toFixed(7), lat.toFixed(7), map.getZoom(), target, clientWidth, clientHeight].join();
    if (move === lastMove) return;
    lastMove = move;
    map.easeTo({ center: target, animate });
  };
  const onPosition = () => centre(false);
  const onFocus = () => centre(true);
  const pause = () => selecting.changeFocus(afterDrag);
  const onDragStart = ({ originalEvent }: MapLibreEvent<MouseEvent | TouchEvent | undefined>) => {
    const fingers = originalEvent && 'touches' in originalEvent ? originalEvent.touches.length : 1;
    if (fingers === 1) pause();
  };
  const onMoveStart = ({ originalEvent }: MapLibreEvent<unknown>) => {
    if (originalEvent instanceof KeyboardEvent && originalEvent.key.startsWith('Arrow') && !originalEvent.shiftKey)
      pause();
  };
  const stopDisplay = display.subscribe(onPosition);
  const stopFocus = focus.subscribe(onFocus);
  map.on('dragstart', onDragStart);
  map.on('movestart', onMoveStart);
  map.on('moveend', onPosition);
  return () => {
    stopDisplay();
    stopFocus();
    anchorZoom(false);
    map.off('dragstart', onDragStart).off('movestart', onMoveStart).off('moveend', onPosition);
  };
}

/** Keeps the selected mark in view when the map shrinks, for example above a small screen's sheet. */
function keepSelectedInView(map: MapLibreMap, { display }: Pick<Lookout, 'display'>): () => void {
  const sizeNow = () => ({ width: map.getContainer().clientWidth, height: map.getContainer().clientHeight });
  let before = sizeNow();
  const onResize = () => {
    const now = sizeNow();
    const { selected } = display.summary();
    if (selected) {
      const { lon, lat } = selected.position;
      const point = map.project([nearestCopy(lon, map.getCenter().lng), lat]);
      const by = panIntoView(point, before, now, MARGIN_PX);
      if (by[0] !== 0 || by[1] !== 0) map.panBy(by);
    }
    before = now;
  };
  map.on('resize', onResize);
  return () => {
    map.off('resize', onResize);
  };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * The pan, in CSS pixels, that shows a point again after the map was resized around its middle.
 * @param point from the upper left of the resized map
 * @param marginPx on a smaller map the point comes to the middle
 */
export function panIntoView(
  point: { readonly x: number; readonly y: number },
  before: Size,
  now: Size,
  marginPx: number,
): [number, number] {
  const wasIn = (at: number, was: number, is: number) => Math.abs(at - is / 2) <= was / 2;
  if (!wasIn(point.x, before.width, now.width) || !wasIn(point.y, before.height, now.height)) return [0, 0];
  // A side that did not shrink keeps the point where the operator had it.
  return [
    now.width < before.width ? excess(point.x, now.width, marginPx) : 0,
    now.height < before.height ? excess(point.y, now.height, marginPx) : 0,
  ];
}

function excess(at: number, length: number, marginPx: number): number {
  const margin = Math.min(marginPx, length / 2);
  return at < margin ? at - margin : Math.max(0, at - (length - margin));
}
