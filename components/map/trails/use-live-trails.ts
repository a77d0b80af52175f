'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useEffect, useState } from 'react';
import { nextTask } from '#lib/client/browser/page-timers.ts';
import { useIsReplaying, useLookout } from '#lib/client/page/lookout-context.tsx';
import { TRAILS_OFF } from '#lib/client/trails/trails-loading.ts';
import { LAYERS } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import { atMostEvery } from '../at-most-every.ts';
import { loadPart } from '../use-map-problems.ts';
import { graphicsProblem, restoreCustomLayer } from '../webgl/mercator-layer.ts';
import type { DrawnLiveTrails } from './live-trails.ts';
import type { TrailOptions } from './use-replay-trails.ts';

const COUNT_EVERY_MS = 200;
const CODE = { part: 'trails', name: 'Trails', load: () => import('./live-trails.ts') } as const;
const NO_LINES = { solid: 0, dotted: 0 };

/**
 * Draws the trails of the live picture, with code that is loaded once an operator wants them.
 * @returns how many lines there are, also outside the view
 */
export function useLiveTrails(
  map: MapLibreMap | undefined,
  { theme, trails, report }: TrailOptions,
): { readonly solid: number; readonly dotted: number } {
  const { display, feed, liveTrails, colouring } = useLookout();
  const isReplaying = useIsReplaying();
  const isOn = trails !== 'off' && !isReplaying;
  const [drawn, setDrawn] = useState<DrawnLiveTrails>();
  const [counts, setCounts] = useState(NO_LINES);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme is set on the layers below.
  useEffect(() => {
    if (!map || !isOn) return;
    let stops: (() => void)[] = [];
    const off = new AbortController();
    loadPart(CODE, report, off.signal).then(
      ({ DrawnLiveTrails: Drawn }) => {
        const onFailure = (error: Error) => report('trails', graphicsProblem('trails', error));
        const made = new Drawn({ theme, onFailure, onState: liveTrails.set });
        stops = [...made.layers.map((layer) => restoreCustomLayer(map, layer, 'marks')), () => made.close()];
        setDrawn(made);
      },
      // Trails were switched off before their code was there.
      () => report('trails', undefined),
    );
    return () => {
      off.abort();
      for (const stop of stops) stop();
      liveTrails.set(TRAILS_OFF);
      setDrawn(undefined);
      setCounts(NO_LINES);
    };
  }, [map, isOn, liveTrails, report]);

  useEffect(() => drawn?.setTheme(theme), [drawn, theme]);

  useEffect(() => {
    if (!drawn || !isOn) return;
    const count = atMostEvery(COUNT_EVERY_MS, () => setCounts({ ...drawn.counts }));
    const update = () => {
      const now = feed.now();
      // A replay has just begun: the picture is not the live one.
      if (now === undefined || display.tracks !== feed.store) return;
      const { latest } = feed;
      drawn.update({
        tracks: feed.store,
        picture: display.picture(),
        trails,
        selectedRefs: display.summary().selection.refs,
        colouring: colouring.get(),
        nowMs: epochMs(now),
        answered: latest && {
          covered: latest.covered,
          asOf: latest.asOf,
          layers: LAYERS.filter((layer) => feed.layersOn.has(layer)),
        },
      });
      count();
    };
    // All trails take as long as all marks: they have a task of their own, which awaits nothing that fails.
    let isDue = false;
    let isOver = false;
    const updateInTask = async () => {
      if (isDue) return;
      isDue = true;
      await nextTask();
      isDue = false;
      if (!isOver) update();
    };
    update();
    const stop = display.subscribe(trails === 'all' ? () => void updateInTask() : update);
    return () => {
      isOver = true;
      stop();
      count.stop();
    };
  }, [drawn, display, feed, colouring, trails, isOn]);

  return counts;
}
