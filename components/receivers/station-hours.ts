import type { HourSpan, HoursAnswer, HoursReport, StationHours } from '#lib/api/receivers/receiver-hours.ts';
import { groupedBy } from '#lib/client/grouped-by.ts';
import { type ClockZone, clockText, dateText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { groupedNumber } from '#lib/model/measure-text.ts';
import { csvRows } from '#lib/text/csv.ts';
import { addMs, epochMs, formatInstant, instantOf, type UpstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';

export type StationLook = 'received' | 'nothing' | 'unknown';

/** Sums of hours. null where none of them was recorded. */
export interface HourSums {
  readonly positions: number | null;
  readonly alone: number | null;
  readonly silentS: number | null;
  readonly notConnectedS: number | null;
  readonly notRecordedS: number;
  readonly clockErrorMs: number | null;
  readonly clockSpreadMs: number | null;
}

export function hourStart({ first_hour_at }: Pick<HoursReport, 'first_hour_at'>, index: number): UpstreamInstant {
  return addMs(instantOf(first_hour_at), index * HOUR_MS);
}

export function stationLookOf(station: StationHours, index: number): StationLook {
  if ((station.positions[index] ?? 0) > 0) return 'received';
  return connectedS(station, index) > 0 ? 'nothing' : 'unknown';
}

/** Which third of its received hours an hour is in, by positions in connected time. */
export function thirdsOf(station: StationHours): (index: number) => 0 | 1 | 2 {
  const rate = (index: number) => (station.positions[index] ?? 0) / Math.max(1, connectedS(station, index));
  const rates = [...station.positions.keys()]
    .filter((index) => stationLookOf(station, index) === 'received')
    .map(rate)
    .sort((a, b) => a - b);
  const at = (share: number) => rates[Math.floor(rates.length * share)] ?? 0;
  const [second, third] = [at(1 / 3), at(2 / 3)];
  return (index) => {
    const own = rate(index);
    return own < second ? 0 : own < third ? 1 : 2;
  };
}

/** Numbers of hours by look. */
function stationLookCounts(station: StationHours): Readonly<Record<StationLook, number>> {
  const counts = { received: 0, nothing: 0, unknown: 0 };
  for (const index of station.positions.keys()) counts[stationLookOf(station, index)] += 1;
  return counts;
}

export function sumsOf(report: HoursReport, station: StationHours, indexes: readonly number[]): HourSums {
  const recorded = indexes.filter((index) => station.recorded_s[index] !== null);
  const sum = (column: readonly (number | null)[]) =>
    recorded.length === 0 ? null : recorded.reduce((total, index) => total + (column[index] ?? 0), 0);
  const known = (column: readonly (number | null)[]) =>
    recorded.flatMap((index) => column[index] ?? []).sort((a, b) => a - b);
  const passedS = indexes.reduce((total, index) => total + passedSecondsOf(report, index), 0);
  const errors = known(station.clock_error_ms);
  return {
    positions: sum(station.positions),
    alone: sum(station.alone),
    silentS: sum(station.silent_s),
    notConnectedS: sum(station.not_connected_s),
    notRecordedS: Math.max(0, passedS - (sum(station.recorded_s) ?? 0)),
    clockErrorMs: errors[errors.length >> 1] ?? null,
    clockSpreadMs: known(station.clock_spread_ms).at(-1) ?? null,
  };
}

interface HourGroup {
  readonly name: string;
  readonly indexes: readonly number[];
}

/** The columns of the picture: the hours of a single day, or the days of the time zone. */
export function groupsOf(report: HoursReport, zone: ClockZone): readonly HourGroup[] {
  const indexes = Array.from({ length: report.hours }, (_, index) => index);
  const name = (index: number) => {
    const at = hourStart(report, index);
    return report.hours > 24 ? dateText(at, zone) : `${dateText(at, zone)} ${clockText(at, zone).slice(0, 5)}`;
  };
  return [...groupedBy(indexes, name)].map(([name, indexes]) => ({ name, indexes }));
}

const CSV_COLUMNS = [
  'station',
  'hour_start',
  'recorded_s',
  'not_connected_s',
  'silent_s',
  'positions',
  'alone',
  'clock_error_ms',
  'clock_spread_ms',
  'simulated',
] as const;

/**
 * The hours as CSV (RFC 4180), a row for each station and hour, in UTC; cells of hours that were not recorded are
 * empty.
 */
export function stationHoursCsv(report: HoursReport): string {
  const [, , ...values] = CSV_COLUMNS;
  const lines = report.stations.flatMap((station) =>
    station.positions.map((_, index) => [
      station.id,
      formatInstant(hourStart(report, index)),
      ...values.map((name) => station[name][index]),
    ]),
  );
  return csvRows([CSV_COLUMNS, ...lines]);
}

export function hoursFileName({ at, hours }: HoursReport): string {
  return `lookout-receivers-${hours}h-${at.slice(0, 16).replaceAll(/[-:]/g, '')}.csv`;
}

function connectedS({ recorded_s, not_connected_s }: StationHours, index: number): number {
  return (recorded_s[index] ?? 0) - (not_connected_s[index] ?? 0);
}

/** The seconds of an hour that have passed: the last hour is not over. */
function passedSecondsOf(report: HoursReport, index: number): number {
  const passedMs = epochMs(instantOf(report.at)) - epochMs(hourStart(report, index));
  return Math.round(Math.min(Math.max(0, passedMs), HOUR_MS) / SECOND_MS);
}

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

/** The picture in words, for screen readers. */
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
