import { isWait, WAITS, type WaitReason } from '#lib/api/layer-reason.ts';
import type { RefreshedArea } from '#lib/client/status/status-query.ts';
import { type Bbox, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { groupedNumber } from '#lib/model/measure-text.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { reasonText, waitText } from './allowance-text.ts';

const MAX_DECIMALS = 4;

export function boxText(bbox: Bbox): string {
  const lats = rangeText(bbox.south, bbox.north, latSpanDeg(bbox), 'S', 'N');
  if (lonSpanDeg(bbox) === 360) return `${lats}, all longitudes`;
  return `${lats}, ${rangeText(bbox.west, bbox.east, lonSpanDeg(bbox), 'W', 'E')}`;
}

function rangeText(from: number, to: number, spanDeg: number, negative: string, positive: string): string {
  const decimals = decimalsFor(spanDeg);
  const digits = (deg: number) => Math.abs(deg).toFixed(decimals);
  if (from >= 0 && to >= from) return `${digits(from)}–${digits(to)} ${positive}`;
  if (to <= 0 && to >= from) return `${digits(to)}–${digits(from)} ${negative}`;
  const side = (deg: number) => (deg < 0 ? negative : positive);
  return `${digits(from)} ${side(from)}–${digits(to)} ${side(to)}`;
}

function decimalsFor(spanDeg: number): number {
  if (spanDeg === 0) return MAX_DECIMALS;
  return Math.min(Math.max(1, 1 - Math.floor(Math.log10(spanDeg))), MAX_DECIMALS);
}

export interface AreaText {
  readonly effort: string;
  readonly freshness: string;
  /** Why the area cannot be refreshed; `undefined` while it only waits. */
  readonly trouble: string | undefined;
}

export function areaText(area: RefreshedArea, now: UpstreamInstant | undefined, zone: ClockZone): AreaText {
  const { viewers, zones, cost, intervalMs, reason, until } = area;
  const effort = [
    neededText(viewers, zones),
    `${groupedNumber(cost)} ${cost === 1 ? 'request' : 'requests'} per refresh`,
    ...(intervalMs === undefined ? [] : [`every ${intervalText(intervalMs)}`]),
  ];
  const read = readText(area, now, zone);
  const isTrouble = reason !== undefined && !isWait(reason);
  return {
    effort: effort.join(' · '),
    freshness: isTrouble ? read : `${read} · ${whyText(reason, until, now, zone)}`,
    trouble: isTrouble ? reasonText(reason, { until }, now, zone) : undefined,
  };
}

/** Viewers and zones that need the area, such as `1 viewer, 5 zones`. */
function neededText(viewers: number, zones: number): string {
  const parts = [
    viewers > 0 || zones === 0 ? `${groupedNumber(viewers)} ${viewers === 1 ? 'viewer' : 'viewers'}` : '',
    zones > 0 ? `${groupedNumber(zones)} ${zones === 1 ? 'zone' : 'zones'}` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function intervalText(intervalMs: number): string {
  return durationText(Math.max(1, Math.round(intervalMs / 1000)) * 1000);
}

function readText({ fetchedAt }: RefreshedArea, now: UpstreamInstant | undefined, zone: ClockZone): string {
  if (fetchedAt === undefined) return 'not read yet';
  return now === undefined
    ? `read at ${clockText(fetchedAt, zone)}`
    : `read ${durationText(msBetween(fetchedAt, now))} ago`;
}

/** @param reason `undefined` while it is being refreshed */
function whyText(
  reason: WaitReason | undefined,
  until: UpstreamInstant | undefined,
  now: UpstreamInstant | undefined,
  zone: ClockZone,
): string {
  if (reason === undefined) return 'being refreshed now';
  const why = WAITS[reason];
  if (until === undefined || reason === 'unchanged') return why;
  if (now === undefined) return `${why}: at ${clockText(until, zone)}`;
  return until <= now ? 'due now' : `${why}: in ${waitText(msBetween(now, until))}`;
}
