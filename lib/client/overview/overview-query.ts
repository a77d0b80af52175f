import { keepPreviousData, queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import {
  type CoverageAnswer,
  coverageSchema,
  type OverviewHoursAnswer,
  overviewHoursSchema,
} from '#lib/api/overview.ts';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { LookoutRequestError } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, requestJson } from '../request/request-json.ts';
import type { CoverageChoice, OverviewChoice, OverviewPlace, OverviewSpanHours } from './coverage-choice.ts';

/** The requests of the overview: coverage by cell, and hours of a place. An open page reads them again each minute. */

/** The tally is written every 20 s. */
const AGAIN_MS = MINUTE_MS;
/** The answer about a month of a busy server may wait behind the questions of others. */
const TIMEOUT_MS = 30 * SECOND_MS;

interface HoursWindow {
  readonly start: string;
  readonly end: string;
}

export interface CoverageQuestion extends Pick<CoverageChoice, 'hours' | 'layer' | 'band'> {
  /** `undefined`: everything that was watched or received. */
  readonly bbox: Bbox | undefined;
}

/** The window of the overview, in which the hour under way counts as one. @param nowMs since 1970, of the upstream */
function overviewWindow(hours: OverviewSpanHours, nowMs: number): HoursWindow {
  const endMs = Math.ceil(nowMs / HOUR_MS) * HOUR_MS;
  return { start: new Date(endMs - hours * HOUR_MS).toISOString(), end: new Date(endMs).toISOString() };
}

export function coverageAddress(
  { layer, band, bbox }: Omit<CoverageQuestion, 'hours'>,
  { start, end }: HoursWindow,
): string {
  const query = { start, end, layer, ...(band !== undefined && { band }), ...(bbox && { bbox: formatBbox(bbox) }) };
  return `/api/overview/coverage?${new URLSearchParams(query)}`;
}

export function coverageQuery(question: CoverageQuestion, nowMs: () => number) {
  const { hours, layer, band, bbox } = question;
  return queryOptions<CoverageAnswer, LookoutRequestError>({
    queryKey: ['coverage', hours, layer, band, bbox],
    queryFn: ({ signal }) =>
      requestJson('GET', coverageAddress(question, overviewWindow(hours, nowMs())), coverageSchema, {
        signal,
        timeoutMs: TIMEOUT_MS,
      }),
    ...FAILS_AT_ONCE,
    refetchInterval: AGAIN_MS,
    placeholderData: keepPreviousData,
  });
}

/** A zone's id, or a box. */
export type HoursPlace = { readonly zone: string } | { readonly bbox: Bbox };

export function hoursAddress(place: HoursPlace, { start, end }: HoursWindow): string {
  const where = 'zone' in place ? { zone: place.zone } : { bbox: formatBbox(place.bbox) };
  return `/api/overview/hours?${new URLSearchParams({ start, end, ...where })}`;
}

/** @param place `undefined`: not known yet */
function overviewHoursQuery(place: HoursPlace | undefined, hours: OverviewSpanHours, nowMs: () => number) {
  return queryOptions<OverviewHoursAnswer, LookoutRequestError>({
    queryKey: ['overview-hours', hours, place],
    queryFn: ({ signal }) =>
      requestJson('GET', hoursAddress(place ?? { zone: '' }, overviewWindow(hours, nowMs())), overviewHoursSchema, {
        signal,
        timeoutMs: TIMEOUT_MS,
      }),
    enabled: place !== undefined,
    ...FAILS_AT_ONCE,
    refetchInterval: AGAIN_MS,
    placeholderData: keepPreviousData,
  });
}

export interface Overview {
  readonly coverage: UseQueryResult<CoverageAnswer, LookoutRequestError>;
  readonly hours: UseQueryResult<OverviewHoursAnswer, LookoutRequestError>;
  /** The place of `hours`; `undefined` while it is not known. */
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
