import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import {
  type CoverageAnswer,
  coverageSchema,
  type OverviewHoursAnswer,
  overviewHoursSchema,
} from '#lib/api/overview.ts';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { LookoutRequestError } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, requestJson } from '../request/request-json.ts';

/** The tally is written each minute. */
const AGAIN_MS = MINUTE_MS;

export const OVERVIEW_HOURS = [1, 24, 168, 720] as const;
export type OverviewSpanHours = (typeof OVERVIEW_HOURS)[number];

export interface CoverageQuestion {
  readonly hours: OverviewSpanHours;
  readonly layer: Layer;
  /** `undefined`: all heights. */
  readonly band: string | undefined;
}

/** The hour that is under way counts as one. @param nowMs since 1970, of the upstream */
export function overviewWindow(
  hours: OverviewSpanHours,
  nowMs: number,
): { readonly start: string; readonly end: string } {
  const endMs = Math.ceil(nowMs / HOUR_MS) * HOUR_MS;
  return { start: new Date(endMs - hours * HOUR_MS).toISOString(), end: new Date(endMs).toISOString() };
}

export function coverageAddress({ hours, layer, band }: CoverageQuestion, nowMs: number): string {
  const query = new URLSearchParams({ ...overviewWindow(hours, nowMs), layer, ...(band !== undefined && { band }) });
  return `/api/overview/coverage?${query}`;
}

export function coverageQuery(question: CoverageQuestion, nowMs: () => number) {
  return queryOptions<CoverageAnswer, LookoutRequestError>({
    queryKey: ['coverage', question.hours, question.layer, question.band],
    queryFn: ({ signal }) => requestJson('GET', coverageAddress(question, nowMs()), coverageSchema, { signal }),
    ...FAILS_AT_ONCE,
    refetchInterval: AGAIN_MS,
    placeholderData: keepPreviousData,
  });
}

/** A zone's id, or a box. */
export type HoursPlace = { readonly zone: string } | { readonly bbox: Bbox };

export function hoursAddress(place: HoursPlace, hours: OverviewSpanHours, nowMs: number): string {
  const where = 'zone' in place ? { zone: place.zone } : { bbox: formatBbox(place.bbox) };
  return `/api/overview/hours?${new URLSearchParams({ ...overviewWindow(hours, nowMs), ...where })}`;
}

export function overviewHoursQuery(place: HoursPlace, hours: OverviewSpanHours, nowMs: () => number) {
  return queryOptions<OverviewHoursAnswer, LookoutRequestError>({
    queryKey: ['overview-hours', hours, place],
    queryFn: ({ signal }) => requestJson('GET', hoursAddress(place, hours, nowMs()), overviewHoursSchema, { signal }),
    ...FAILS_AT_ONCE,
    refetchInterval: AGAIN_MS,
    placeholderData: keepPreviousData,
  });
}
