'use client';

import { useSyncExternalStore } from 'react';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { THIN_GROUND_ZOOM } from '#lib/client/page/region-map.ts';
import { useMay } from '#lib/client/page/use-may.ts';

/** The name of the hint in `hintsSeen`. */
export const STREET_MAP_HINT = 'street-map';

/** Closer than the built-in map's details, for an operator who could install a street map. */
export function useIsGroundThin(): boolean {
  const { mapView, server } = useLookout();
  const { maps, mapStyleUrl } = server;
  const mayInstall = useMay('administer');
  const [{ hintsSeen }] = usePreferences();
  const isMissing =
    mayInstall && maps.length === 0 && mapStyleUrl === undefined && !hintsSeen.includes(STREET_MAP_HINT);
  return useSyncExternalStore(
    mapView.subscribe,
    () => isMissing && mapView.get().zoom >= THIN_GROUND_ZOOM,
    () => false,
  );
}
