import type { Look, OverviewHour } from '#lib/api/overview.ts';
import { type Counted, countedOf, hourLook } from '#lib/client/overview/coverage-rates.ts';
import { type ClockZone, dateText, shortClockText } from '#lib/model/clock-text.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import { epochMs, parseInstant, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { COUNTED_TEXT, CUT_TEXT } from './overview-text.ts';

const HOUR_S = HOUR_MS / SECOND_MS;

/** Never 0% of some, nor 100% of less than all. */
function percentText(part: number): string {
  if (part > 0 && part < 0.01) return 'under 1%';
  if (part < 1 && part > 0.99) return 'over 99%';
  return `${Math.round(part * 100)}%`;
}

function watchedPartText({ watched_s, partly_s }: Pick<OverviewHour, 'watched_s' | 'partly_s'>): string {
  const watched = `watched ${percentText(watched_s / HOUR_S)}`;
  return partly_s > 0 ? `${watched}, partly ${percentText(partly_s / HOUR_S)}` : watched;
}

/** Exact, or an estimate with its standard error. */
function referencesText(hour: Pick<OverviewHour, 'references' | 'references_error'>): string {
  const { references, references_error } = hour;
  if (references_error === null) return groupedNumber(references);
  return `about ${groupedNumber(references)} ± ${groupedNumber(Math.max(1, Math.round(references_error)))}`;
}

/** @param countedUntil of the answer: a later end of an hour is not known yet */
export function hourText(hour: OverviewHour, counted: Counted, zone: ClockZone, countedUntil: string | null): string {
  const at = parseInstant(hour.start);
  if (at === undefined) return hour.start;
  const end = upstreamInstant(epochMs(at) + HOUR_MS);
  const until = countedUntil === null ? undefined : parseInstant(countedUntil);
  const soFar = until !== undefined && until > at && until < end ? ', so far' : '';
  const when = `${dayText(dateText(at, zone))} ${shortClockText(at, zone)}`;
  const counts = countedOf(hour, counted);
  switch (hourLook(hour, counted)) {
    case 'not_watched':
      return `${when}: not watched`;
    case 'nothing_received':
      return `${when}: nothing received, ${watchedPartText(hour)}${soFar}`;
    case 'received':
      return `${when}: ${groupedNumber(counts.positions)} ${positionsText(counted)} of ${referencesText(counts)} references, ${watchedPartText(hour)}${soFar}`;
  }
}

function positionsText(counted: Counted): string {
  return counted === 'references' ? 'positions' : COUNTED_TEXT[counted].toLowerCase();
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** `Fri 2026-11-27` @param day `2026-11-27` */
export function dayText(day: string): string {
  return `${WEEKDAYS[new Date(`${day}T00:00Z`).getUTCDay()]} ${day}`;
}

export function hoursSummary(looks: Readonly<Record<Look, number>>): string {
  const hours = (count: number) => `${groupedNumber(count)} ${count === 1 ? 'hour' : 'hours'}`;
  return `Received in ${hours(looks.received)}. Watched and nothing received in ${hours(looks.nothing_received)}. Not watched in ${hours(looks.not_watched)}.`;
}

/** Reasons why figures are not exact. */
export function hoursCautions(hours: readonly OverviewHour[]): readonly string[] {
  const late = hours.reduce((sum, hour) => sum + hour.late, 0);
  return [
    hours.some(({ references_error }) => references_error !== null)
      ? 'References are estimates from a sample where “about” is written.'
      : [],
    hours.some(({ watched_cut }) => watched_cut) ? CUT_TEXT : [],
    late > 0
      ? `${groupedNumber(late)} positions, of any place, arrived too late for their hour: they are counted nowhere.`
      : [],
  ].flat();
}

/** @param cellDeg side of the cells that the place touches */
export function hoursNotes(cellDeg: number): readonly string[] {
  return [
    `Counted in all cells of ${Number(cellDeg.toPrecision(2))}° that the place touches.`,
    'The line below an hour shows how much of it was watched, on average over the place; amber: partly.',
    'References are distinct in each hour and never aircraft: one aircraft can have several.',
  ];
}
