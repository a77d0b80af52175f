'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useEffect, useState } from 'react';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { atMostEvery } from '../at-most-every.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { loadPart, type ReportProblem } from '../use-map-problems.ts';
import { graphicsProblem, restoreCustomLayer } from '../webgl/mercator-layer.ts';
import type { VectorsLayer } from './vectors-layer.ts';

/** A replay's picture changes every frame: too often for React. */
const COUNT_EVERY_MS = 200;

const CODE = { part: 'vectors', name: 'Speed vectors', load: () => import('./vectors-layer.ts') } as const;

/**
 * Draws speed vectors, with code that is loaded once an operator wants them.
 * @returns the number of vectors, including those too short to be seen
 */
export function useDrawnVectors(map: MapLibreMap | undefined, theme: BasemapTheme, report: ReportProblem): number {
  const { display } = useLookout();
  const [{ vectorMinutes }] = usePreferences();
  const isOn = vectorMinutes > 0;
  const [layer, setLayer] = useState<VectorsLayer>();
  const [count, setCount] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme is set on the layer below.
  useEffect(() => {
    if (!map || !isOn) return;
    let remove: (() => void) | undefined;
    const off = new AbortController();
    loadPart(CODE, report, off.signal).then(
      ({ makeVectorsLayer }) => {
        const onFailure = (error: Error) => report('vectors', graphicsProblem('speed vectors', error));
        const made = makeVectorsLayer({ theme, onFailure });
        remove = restoreCustomLayer(map, made, 'marks');
        setLayer(made);
      },
      // Vectors were switched off before their code was there.
      () => report('vectors', undefined),
    );
    return () => {
      off.abort();
      remove?.();
      setLayer(undefined);
    };
  }, [map, isOn, report]);

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
