'use client';

import { useMemo } from 'react';
import { useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import type { ViewState } from '#lib/client/page/view-state.ts';
import { type ReferencePoint, referencePoint } from './reference-point.ts';

/** The point that the table's distances and bearings are from; the same object until it moves. */
export function useReferencePoint(view: ViewState): ReferencePoint {
  const { markedPlace, measuring } = useLookout();
  const marked = useValue(markedPlace);
  const { ringCentres } = useValue(measuring.reading);
  const { at, name } = referencePoint(marked, ringCentres, view);
  return useMemo(() => ({ at: { lon: at.lon, lat: at.lat }, name }), [at.lon, at.lat, name]);
}
