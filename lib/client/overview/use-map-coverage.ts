import { useQuery } from '@tanstack/react-query';
import { formatBbox } from '#lib/geo/bbox.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import { epochMs } from '#lib/time/instant.ts';
import { useLookout, useValue } from '../page/lookout-context.tsx';
import { useRested } from '../request/use-rested.ts';
import { FIRST_COVERAGE } from './coverage-choice.ts';
import { coverageQuery } from './overview-query.ts';
import { snappedBox } from './snapped-box.ts';

/** The server answers one question after the other. */
const RESTED_MS = 500;

/** Of the live map's view: smaller boxes have smaller cells. */
export function useMapCoverage() {
  const { coverage, feed, mapView } = useLookout();
  const choice = useValue(coverage);
  const { visible } = useValue(mapView);
  const box = visible && snappedBox(visible);
  const rested = parseBbox(useRested(box ? formatBbox(box) : '', RESTED_MS));
  const question = { ...(choice ?? FIRST_COVERAGE), bbox: rested.ok ? rested.bbox : undefined };
  const { data, error } = useQuery({
    ...coverageQuery(question, () => epochMs(feed.presumedNow())),
    enabled: choice !== undefined,
  });
  return { choice, data, error };
}
