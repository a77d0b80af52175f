'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useEffect, useState } from 'react';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { atMostEvery } from '../at-most-every.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { restoreCustomLayer } from '../webgl/mercator-layer.ts';
import type { VectorsLayer } from './vectors-layer.ts';

/** A replay's picture changes every frame: too often for React. */
const COUNT_EVERY_MS = 200;

export interface VectorOptions {
  readonly theme: BasemapTheme;
  readonly onFailure: (problem: string) => void;
}

/** @returns the number of vectors, including those too short to be seen */
export function useDrawnVectors(map: MapLibreMap | undefined, { theme, onFailure }: VectorOptions): number {
  const { display } = useLookout();
  const [{ vectorMinutes }] = usePreferences();
  const isOn = vectorMinutes > 0;
  const [layer, setLayer] = useState<VectorsLayer>();
  const [count, setCount] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme is set on the layer below.
  useEffect(() => {
    if (!map || !isOn) return;
    let remove: (() => void) | undefined;
    let isOver = false;
    const fail = (error: Error) =>
      onFailure(`The map cannot draw speed vectors on this machine’s graphics: ${error.message}`);
    import('./vectors-layer.ts').then(({ makeVectorsLayer }) => {
      if (isOver) return;
      const made = makeVectorsLayer({ theme, onFailure: fail });
      remove = restoreCustomLayer(map, made, 'marks');
      setLayer(made);
    }, fail);
    return () => {
      isOver = true;
      remove?.();
      setLayer(undefined);
    };
  }, [map, isOn]);

  useEffect(() => layer?.setTheme(theme), [layer, theme]);

  useEffect(() => {
    if (!layer || !isOn) return;
    let drawn = 0;
    const count = atMostEvery(COUNT_EVERY_MS, () => setCount(drawn));
    const draw = () => {
      drawn = layer.setPicture(display.picture(), display.tracks.columns, vectorMinutes);
      count();
    };
    draw();
    const stop = display.subscribe(draw);
    return () => {
      stop();
      count.stop();
      setCount(0);
    };
  }, [layer, display, isOn, vectorMinutes]);

  return count;
}
