'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useEffect, useState } from 'react';
import { useIsReplaying, useLookout } from '#lib/client/page/lookout-context.tsx';
import type { Preferences } from '#lib/client/page/preferences.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { restoreCustomLayer } from '../webgl/mercator-layer.ts';
import { DrawnTrails } from './replay-trails.ts';

export interface TrailOptions {
  readonly theme: BasemapTheme;
  readonly trails: Preferences['trails'];
  readonly onFailure: (problem: string) => void;
}

export function useDrawnTrails(map: MapLibreMap | undefined, { theme, trails, onFailure }: TrailOptions): void {
  const { display, replay, colouring } = useLookout();
  const isReplaying = useIsReplaying();
  const [drawn] = useState(
    () =>
      new DrawnTrails(theme, (error) =>
        onFailure(`The map cannot draw trails on this machine’s graphics: ${error.message}`),
      ),
  );

  useEffect(() => {
    if (!map) return;
    const stops = drawn.layers.map((layer) => restoreCustomLayer(map, layer, 'marks'));
    return () => {
      for (const stop of stops) stop();
    };
  }, [map, drawn]);
  useEffect(() => drawn.setTheme(theme), [drawn, theme]);

  useEffect(() => {
    if (!isReplaying || trails === 'off') return;
    let frame: number | undefined;
    const update = () => {
      const { refs: selectedRefs } = display.summary().selection;
      const { session } = replay;
      if (!session) return;
      const picture = display.tracks === session.cursor ? display.picture() : undefined;
      const isPending = drawn.update({
        replay: session,
        picture,
        trails,
        selectedRefs,
        colouring: colouring.get(),
        nowMs: performance.now(),
      });
      if (isPending) frame ??= requestAnimationFrame(updateInFrame);
    };
    const updateInFrame = () => {
      frame = undefined;
      update();
    };
    update();
    const stop = display.subscribe(update);
    return () => {
      stop();
      if (frame !== undefined) cancelAnimationFrame(frame);
      drawn.clear();
    };
  }, [drawn, display, replay, colouring, trails, isReplaying]);
}
