import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { CoverageAnswer, OverviewHoursAnswer } from '#lib/api/overview.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import type { LookoutRequestError } from '../request/fetch-lookout.ts';
import type { OverviewChoice, OverviewPlace } from './coverage-choice.ts';
import { coverageQuery, type HoursPlace, overviewHoursQuery } from './overview-query.ts';

export interface Overview {
  readonly coverage: UseQueryResult<CoverageAnswer, LookoutRequestError>;
  readonly hours: UseQueryResult<OverviewHoursAnswer, LookoutRequestError>;
  /** Of `hours`; `undefined` while not known. */
  readonly hoursPlace: HoursPlace | undefined;
}

/** The hours of everything are those of the box of the coverage; the coverage of a zone is that of the box of its hours. */
export function useOverview({ place, ...choice }: OverviewChoice, nowMs: () => number): Overview {
  const given = givenPlace(place);
  const ofGiven = useQuery(overviewHoursQuery(given, choice.hours, nowMs));
  const zoned = ofGiven.isPlaceholderData
    ? undefined
    : ofGiven.data?.layers.find(({ layer }) => layer === choice.layer);
  const zoneBox = zoned && boxFromCorners(zoned.bbox);
  const coverage = useQuery({
    ...coverageQuery(
      { ...choice, bbox: place.kind === 'zone' ? zoneBox : given && 'bbox' in given ? given.bbox : undefined },
      nowMs,
    ),
    enabled: place.kind !== 'zone' || zoneBox !== undefined,
  });
  const box = coverage.isPlaceholderData ? undefined : coverage.data?.bbox;
  const everything = place.kind === 'everything' && box ? { bbox: boxFromCorners(box) } : undefined;
  const ofEverything = useQuery(overviewHoursQuery(everything, choice.hours, nowMs));
  return place.kind === 'everything'
    ? { coverage, hours: ofEverything, hoursPlace: everything }
    : { coverage, hours: ofGiven, hoursPlace: given };
}

function givenPlace(place: OverviewPlace): HoursPlace | undefined {
  switch (place.kind) {
    case 'zone':
      return { zone: place.id };
    case 'view':
      return { bbox: place.bbox };
    case 'everything':
      return undefined;
  }
}
