'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useEffect } from 'react';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { afterDrag } from '#lib/client/page/watch-state.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import type { Position } from '#lib/model/position.ts';

/**
 * Follows the selected track: with each new position the map moves as far as the mark did, so that the mark keeps its place on the screen;
 * between positions nothing moves. A mark that is not on the screen is centred first.
 */
export function useFollow(map: MapLibreMap | undefined): void {
  const { display, watch } = useLookout();
  useEffect(() => {
    if (!map) return;
    let followed: Position | undefined;
    const follow = () => {
      const { selected } = display.summary();
      const position = watch.get().following === 'on' ? selected?.position : undefined;
      const before = followed;
      followed = position;
      if (!position || position === before) return;
      if (before?.ref !== position.ref) {
        if (!map.getBounds().contains([position.lon, position.lat]))
          map.easeTo({ center: [position.lon, position.lat] });
        return;
      }
      // The shorter way round: a track that crosses 180° moves by a few pixels, not around the Earth.
      const eastDeg = wrapLongitude(position.lon - before.lon);
      const [from, onward] = [map.project([before.lon, before.lat]), map.project([before.lon + eastDeg, position.lat])];
      map.panBy([onward.x - from.x, onward.y - from.y], { animate: false });
    };
    const pause = () => watch.set(afterDrag(watch.get()));
    const stopDisplay = display.subscribe(follow);
    const stopWatch = watch.subscribe(follow);
    map.on('dragstart', pause);
    return () => {
      stopDisplay();
      stopWatch();
      map.off('dragstart', pause);
    };
  }, [map, display, watch]);
}
