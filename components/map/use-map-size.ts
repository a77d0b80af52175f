'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useEffect } from 'react';
import { atMostEvery } from './at-most-every.ts';

/** As often as MapLibre does by itself. */
const FIT_EVERY_MS = 50;

export function useMapSize(map: MapLibreMap | undefined): void {
  useEffect(() => {
    if (!map) return;
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
  }, [map]);
}
