'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useEffect, useState } from 'react';
import { useIsReplaying, useLookout } from '#lib/client/page/lookout-context.tsx';
import { nextTask } from '#lib/client/request/next-task.ts';
import { TRAILS_OFF } from '#lib/client/trails/trails-loading.ts';
import { LAYERS } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import { atMostEvery } from '../at-most-every.ts';
import { restoreCustomLayer } from '../webgl/mercator-layer.ts';
import type { DrawnLiveTrails } from './live-trails.ts';
import type { TrailOptions } from './use-replay-trails.ts';

const COUNT_EVERY_MS = 200;
const NO_LINES = { solid: 0, dotted: 0 };

export function useLiveTrails(
  map: MapLibreMap | undefined,
  { theme, trails, onFailure }: TrailOptions,
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
    let isOver = false;
    const fail = (error: Error) => onFailure(`The map cannot draw trails on this machine’s graphics: ${error.message}`);
    import('./live-trails.ts').then(({ DrawnLiveTrails: Drawn }) => {
      if (isOver) return;
      const made = new Drawn({ theme, onFailure: fail, onState: liveTrails.set });
      stops = [...made.layers.map((layer) => restoreCustomLayer(map, layer, 'marks')), () => made.close()];
      setDrawn(made);
    }, fail);
    return () => {
      isOver = true;
      for (const stop of stops) stop();
      liveTrails.set(TRAILS_OFF);
      setDrawn(undefined);
      setCounts(NO_LINES);
    };
  }, [map, isOn, liveTrails]);

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
    // All trails take as long as all marks: a task of their own.
    let isDue = false;
    let isOver = false;
    const updateInTurn = async () => {
      if (isDue) return;
      isDue = true;
      await nextTask();
      isDue = false;
      if (!isOver) update();
    };
    update();
    const stop = display.subscribe(trails === 'all' ? () => void updateInTurn() : update);
    return () => {
      isOver = true;
      stop();
      count.stop();
    };
  }, [drawn, display, feed, colouring, trails, isOn]);

  return counts;
}
