import { useQuery } from '@tanstack/react-query';
import { type Bbox, formatBbox, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import { epochMs } from '#lib/time/instant.ts';
import { useLookout, useValue } from '../page/lookout-context.tsx';
import { useRested } from '../request/use-rested.ts';
import { FIRST_COVERAGE } from './coverage-choice.ts';
import { coverageQuery } from './overview-query.ts';

/** The view has to rest so long, since the server answers one question after the other. */
const RESTED_MS = 500;

/** The coverage of the view of the live map, where smaller boxes have smaller cells. */
export function useMapCoverage() {
  const { coverage, feed, mapView, preferences } = useLookout();
  const { zone } = useValue(preferences);
  const choice = useValue(coverage);
  const { visible } = useValue(mapView);
  const box = visible && snappedBox(visible);
  const rested = parseBbox(useRested(box ? formatBbox(box) : '', RESTED_MS));
  const question = { ...(choice ?? FIRST_COVERAGE), zone, bbox: rested.ok ? rested.bbox : undefined };
  const { data, error } = useQuery({
    ...coverageQuery(question, () => epochMs(feed.presumedNow())),
    enabled: choice !== undefined,
  });
  return { choice, data, error };
}

/** For a wider view, everything is requested. */
const SPAN_MAX_DEG = 45;
const POLE_DEG = 90;

/** A box around the view, which is the same for views nearby; `undefined` stands for everything. */
export function snappedBox(view: Bbox): Bbox | undefined {
  const [width, height] = [lonSpanDeg(view), latSpanDeg(view)];
  const span = Math.max(width, height);
  if (span > SPAN_MAX_DEG) return undefined;
  const side = 2 ** Math.ceil(Math.log2(span)) / 2;
  const down = (deg: number) => Math.floor(deg / side) * side;
  const up = (deg: number) => Math.ceil(deg / side) * side;
  return {
    west: wrapLongitude(down(view.west)),
    south: Math.max(-POLE_DEG, down(view.south)),
    east: wrapLongitude(up(view.west + width)),
    north: Math.min(POLE_DEG, up(view.north)),
  };
}
