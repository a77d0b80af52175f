'use client';

import type { MapLibreEvent, Map as MapLibreMap } from 'maplibre-gl';
import { useEffect } from 'react';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { afterDrag } from '#lib/client/page/selecting.ts';
import { nearestCopy } from '#lib/geo/longitude.ts';

const CENTRED_PX = 0.5;

/**
 * Keeps the last received position in the middle, without motion in between. Zooming anchors on the track; moving the
 * map by hand pauses it.
 */
export function useFollow(map: MapLibreMap | undefined): void {
  const { display, selecting } = useLookout();
  const { focus } = selecting;
  useEffect(() => {
    if (!map) return;
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
      // Never cuts a zoom short; its end calls this again.
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
  }, [map, display, selecting, focus]);
}
