'use client';

import { useFilter, useLookout, usePreferences, useReplay, useValue } from '#lib/client/page/lookout-context.tsx';
import { useMay } from '#lib/client/page/use-may.ts';
import { activeCriteria, NO_FILTER } from '#lib/filter/track-filter.ts';
import { criterionText } from '../../filters/filter-text.ts';
import { type IncidentAnswer, incidentAnswer } from './answer.ts';
import { useWindowTracks } from './use-window-tracks.ts';

/** `undefined` before the first scan; unchanged while only the cursor moves. */
export function useAnswer(): IncidentAnswer | undefined {
  const { feed, replay, mapView, markedPlace, operator } = useLookout();
  const { tracks } = useWindowTracks();
  const { filter } = useFilter();
  const [{ units, zone }] = usePreferences();
  const marked = useValue(markedPlace);
  const maySpend = useMay('spend');
  useReplay((summary) => summary?.layers);
  useReplay((summary) => summary?.loading);
  const summary = replay.summary();
  if (!tracks || !summary) return undefined;
  const emergency = filter.emergency === 'only' ? filter.emergency : undefined;
  const past = { ...filter, ageS: undefined, emergency };
  const words = activeCriteria({ ...past, inside: undefined }).map((criterion) =>
    criterionText(past, criterion, units),
  );
  return incidentAnswer({
    tracks,
    replay: summary,
    filter: past,
    visible: mapView.get().visible,
    filterWords: words.filter((text) => text !== undefined),
    placeWords: criterionText({ ...NO_FILTER, inside: filter.inside }, 'inside', units),
    markedPlace: marked && (marked.name ?? 'the marked place'),
    madeAt: feed.presumedNow(),
    operator: operator?.id,
    maySpend,
    units,
    zone,
  });
}
