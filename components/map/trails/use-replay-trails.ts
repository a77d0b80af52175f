'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useEffect, useState } from 'react';
import { useIsReplaying, useLookout } from '#lib/client/page/lookout-context.tsx';
import type { Preferences } from '#lib/client/page/preferences.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import type { ReportProblem } from '../use-map-problems.ts';
import { graphicsProblem, restoreCustomLayer } from '../webgl/mercator-layer.ts';
import { DrawnTrails } from './replay-trails.ts';

export interface TrailOptions {
  readonly theme: BasemapTheme;
  readonly trails: Preferences['trails'];
  readonly report: ReportProblem;
}

/** Draws the trails of a replay whenever its picture changes, and in later frames while lines are still to be built. */
export function useReplayTrails(map: MapLibreMap, { theme, trails, report }: TrailOptions): void {
  const { display, replay, colouring } = useLookout();
  const isReplaying = useIsReplaying();
  const [drawn] = useState(() => new DrawnTrails(theme, (error) => report('trails', graphicsProblem('trails', error))));

  useEffect(() => {
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
