import { keepPreviousData, queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import {
  type CoverageAnswer,
  coverageSchema,
  type OverviewHoursAnswer,
  overviewHoursSchema,
  type ReceptionAnswer,
  receptionSchema,
  type TimesOfDay,
} from '#lib/api/overview.ts';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { browserTimeZone } from '../browser/time-zone.ts';
import type { LookoutRequestError } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, requestJson } from '../request/request-json.ts';
import type { CoverageChoice, OverviewChoice, OverviewPlace } from './coverage-choice.ts';
import { type Covered, isReception } from './coverage-rates.ts';

/** The requests of the overview: coverage by cell, and hours of a place. An open page reads them again each minute. */

/** The tally is written every 20 s. */
const AGAIN_MS = MINUTE_MS;
/** The answer about a month of a busy server may wait behind the questions of others. */
const TIMEOUT_MS = 30 * SECOND_MS;

interface HoursWindow {
  readonly start: string;
  readonly end: string;
}

/** `zone`: of the clock that the operator reads, in which a night begins. */
interface CoverageQuestion extends CoverageChoice, Pick<SpanClock, 'zone'> {
  /** `undefined`: everything that was watched or received. */
  readonly bbox: Bbox | undefined;
}

interface SpanClock {
  readonly zone: ClockZone;
  /** Since 1970, of the upstream. */
  readonly nowMs: number;
}

/** Hours of the clock. */
export const NIGHT = { from: 20, to: 6 } as const;
export const WORKING_HOURS = { from: 8, to: 18 } as const;

/** The window of a span, in which the hour under way counts as one. With `times` it has whole nights or working days. */
export function overviewWindow(
  { span, times }: Pick<CoverageChoice, 'span' | 'times'>,
  { nowMs, zone }: SpanClock,
): HoursWindow {
  const untilMs = Math.ceil(nowMs / HOUR_MS) * HOUR_MS;
  const days = Math.max(1, (span * HOUR_MS) / DAY_MS);
  const [fromMs, toMs] =
    times === 'night'
      ? [hourOfDay(days, NIGHT.from), hourOfDay(0, NIGHT.to)]
      : times === 'work'
        ? workingHours()
        : [untilMs - span * HOUR_MS, untilMs];
  return { start: new Date(fromMs).toISOString(), end: new Date(Math.min(toMs, untilMs)).toISOString() };

  function hourOfDay(daysAgo: number, hour: number): number {
    const now = new Date(nowMs);
    return zone === 'utc'
      ? Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - daysAgo, hour)
      : new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo, hour).getTime();
  }

  /** Up to the last day from Monday to Friday on which they have begun. */
  function workingHours(): readonly [number, number] {
    for (let daysAgo = 0; ; daysAgo++) {
      const beginMs = hourOfDay(daysAgo, WORKING_HOURS.from);
      const begin = new Date(beginMs);
      const weekday = zone === 'utc' ? begin.getUTCDay() : begin.getDay();
      if (beginMs < nowMs && weekday % 6 !== 0) {
        return [hourOfDay(daysAgo + days - 1, WORKING_HOURS.from), hourOfDay(daysAgo, WORKING_HOURS.to)];
      }
    }
  }
}

/** The part of a request that both pictures share. */
interface CountQuestion extends Pick<CoverageChoice, 'layer' | 'band'> {
  readonly times: TimesOfDay | null | undefined;
  /** IANA name of the clock of `times`. */
  readonly timeZone: string;
}

function countedParameters({ layer, band, times, timeZone }: CountQuestion, { start, end }: HoursWindow) {
  return {
    start,
    end,
    layer,
    ...(band !== undefined && { band }),
    ...(times && { times, time_zone: timeZone }),
  };
}

function countedOf({ layer, band, times, zone }: Omit<CoverageQuestion, 'bbox' | 'counted'>): CountQuestion {
  return { layer, band, times, timeZone: zone === 'utc' ? 'UTC' : browserTimeZone() };
}

interface CoverageRequest extends CountQuestion {
  readonly covered: Covered;
}

export function coverageAddress(
  { covered, ...counted }: CoverageRequest,
  bbox: Bbox | undefined,
  window: HoursWindow,
): string {
  const query = {
    ...countedParameters(counted, window),
    ...(bbox && { bbox: formatBbox(bbox) }),
    ...(isReception(covered) && { cells: 'measured' }),
  };
  return `/api/overview/coverage?${new URLSearchParams(query)}`;
}

export function coverageQuery(question: CoverageQuestion, nowMs: () => number) {
  const { span, times, zone, layer, band, bbox, counted: covered } = question;
  return queryOptions<CoverageAnswer, LookoutRequestError>({
    queryKey: ['coverage', span, times, zone, layer, band, bbox, isReception(covered)],
    queryFn: ({ signal }) =>
      requestJson(
        'GET',
        coverageAddress({ ...countedOf(question), covered }, bbox, overviewWindow(question, { nowMs: nowMs(), zone })),
        coverageSchema,
        { signal, timeoutMs: TIMEOUT_MS },
      ),
    ...FAILS_AT_ONCE,
    refetchInterval: AGAIN_MS,
    placeholderData: keepPreviousData,
  });
}

/** A zone's id, or a box. */
export type HoursPlace = { readonly zone: string } | { readonly bbox: Bbox };

export function hoursAddress(place: HoursPlace, counted: CountQuestion, window: HoursWindow): string {
  const where = 'zone' in place ? { zone: place.zone } : { bbox: formatBbox(place.bbox) };
  const query = { ...countedParameters(counted, window), ...where };
  return `/api/overview/hours?${new URLSearchParams(query)}`;
}

/** @param place `undefined`: not known yet */
function overviewHoursQuery(
  place: HoursPlace | undefined,
  question: Omit<CoverageQuestion, 'bbox' | 'counted'>,
  nowMs: () => number,
) {
  const { span, times, zone, layer, band } = question;
  return queryOptions<OverviewHoursAnswer, LookoutRequestError>({
    queryKey: ['overview-hours', span, times, zone, layer, band, place],
    queryFn: ({ signal }) =>
      requestJson(
        'GET',
        hoursAddress(place ?? { zone: '' }, countedOf(question), overviewWindow(question, { nowMs: nowMs(), zone })),
        overviewHoursSchema,
        { signal, timeoutMs: TIMEOUT_MS },
      ),
    enabled: place !== undefined,
    ...FAILS_AT_ONCE,
    refetchInterval: AGAIN_MS,
    placeholderData: keepPreviousData,
  });
}

/** Measured reception of an area. @param bbox `undefined`: no area yet */
export function receptionQuery(bbox: Bbox | undefined) {
  const box = bbox ? formatBbox(bbox) : '';
  return queryOptions<ReceptionAnswer, LookoutRequestError>({
    queryKey: ['reception', box],
    queryFn: ({ signal }) =>
      requestJson('GET', `/api/overview/reception?${new URLSearchParams({ bbox: box })}`, receptionSchema, {
        signal,
        timeoutMs: TIMEOUT_MS,
      }),
    enabled: bbox !== undefined,
    ...FAILS_AT_ONCE,
    staleTime: AGAIN_MS,
  });
}

export interface Overview {
  readonly coverage: UseQueryResult<CoverageAnswer, LookoutRequestError>;
  readonly hours: UseQueryResult<OverviewHoursAnswer, LookoutRequestError>;
  /** The place of `hours`; `undefined` while it is not known. */
  readonly hoursPlace: HoursPlace | undefined;
}

/** The hours of everything are those of the box of the coverage; the coverage of a zone is that of the box of its hours. */
export function useOverview({ place, ...chosen }: OverviewChoice, zone: ClockZone, nowMs: () => number): Overview {
  const choice = { ...chosen, zone };
  const given = givenPlace(place);
  const ofGiven = useQuery(overviewHoursQuery(given, choice, nowMs));
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
  const ofEverything = useQuery(overviewHoursQuery(everything, choice, nowMs));
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
