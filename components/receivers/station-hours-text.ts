import type { HourSpan, HoursAnswer, HoursReport, StationHours } from '#lib/api/receivers/receiver-hours.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { type HourSums, stationLookCounts } from './station-hours.ts';

export const HOUR_SPAN_TEXT: Readonly<Record<HourSpan, string>> = {
  '24': '24 hours',
  '168': '7 days',
  '720': '30 days',
};

export const HOURS_UNREAD: Readonly<Record<NonNullable<HoursAnswer['failure']>, string>> = {
  not_running: 'The record of the receivers cannot be read: its service is not running.',
  not_permitted: 'The record of the receivers cannot be read: its service runs as another user.',
  no_answer: 'The record of the receivers cannot be read: its service does not answer.',
  unreadable: 'The record of the receivers cannot be read: its service may be another version.',
};

export const HOURS_PROBLEM: Readonly<Record<NonNullable<HoursReport['problem']>, string>> = {
  disk_full: 'These hours are only in memory at present: the disk is full.',
  disk_failed: 'These hours are only in memory at present: the disk cannot be written.',
};

const NOT_RECORDED = 'not recorded';

export function hourCountText(count: number | null): string {
  return count === null ? NOT_RECORDED : groupedNumber(count);
}

export function secondsText(seconds: number | null): string {
  return seconds === null ? NOT_RECORDED : durationText(seconds * SECOND_MS);
}

/** `+0.30 s, spread 0.04 s` */
export function clockErrorAndSpread({ clockErrorMs, clockSpreadMs }: HourSums): string {
  if (clockErrorMs === null) return 'not known';
  const error = `${clockErrorMs < 0 ? '−' : '+'}${secondsOf(Math.abs(clockErrorMs))}`;
  return clockSpreadMs === null ? error : `${error}, spread ${secondsOf(clockSpreadMs)}`;
}

/** Replaces the picture for a screen reader. */
export function stationPictureText(station: StationHours, span: HourSpan): string {
  const { received, nothing, unknown } = stationLookCounts(station);
  return `${station.id}, last ${HOUR_SPAN_TEXT[span]}: ${hoursText(received)} with positions, ${hoursText(nothing)} connected and nothing received, ${hoursText(unknown)} not recorded or not connected.`;
}

export function spokenText({ stations }: HoursReport, span: HourSpan): string {
  return `Last ${HOUR_SPAN_TEXT[span]}: ${stations.length === 1 ? '1 receiver' : `${stations.length} receivers`}.`;
}

function hoursText(hours: number): string {
  return hours === 1 ? '1 hour' : `${hours} hours`;
}

function secondsOf(ms: number): string {
  return `${(ms / SECOND_MS).toFixed(2)} s`;
}
