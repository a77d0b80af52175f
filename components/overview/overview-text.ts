import { APART, type Apart, type CoverageAnswer, type Look, type OverviewHour } from '#lib/api/overview.ts';
import type { OverviewSpanHours } from '#lib/client/overview/coverage-choice.ts';
import {
  type CellRate,
  type Counted,
  countedOf,
  hourLook,
  type ReceivedTotals,
} from '#lib/client/overview/coverage-rates.ts';
import { type ClockZone, clockText, dateText, shortClockText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { HEIGHT_UNKNOWN, type HeightBand } from '#lib/model/height-band.ts';
import { groupedNumber } from '#lib/model/measure-text.ts';
import { LENGTH_UNIT, lengthIn, type UnitSystem } from '#lib/model/units.ts';
import { epochMs, parseInstant, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';

export const LOOK_TEXT: Readonly<Record<Look, string>> = {
  received: 'Received',
  nothing_received: 'Watched, nothing received',
  not_watched: 'Not watched',
};

export const COUNTED_TEXT: Readonly<Record<Counted, string>> = {
  references: 'References',
  positions: 'Positions',
  simulated: 'Simulated positions',
  test: 'Test positions',
  inconsistent: 'Contradicted positions',
};

export const SPAN_TEXT: Readonly<Record<OverviewSpanHours, string>> = {
  1: '1 h',
  24: '24 h',
  168: '7 days',
  720: '30 days',
};

export const SPAN_LABEL: Readonly<Record<OverviewSpanHours, string>> = {
  1: '1 h',
  24: '24 h',
  168: '7 d',
  720: '30 d',
};

export const OVERVIEW_NOTICE =
  'From received positions alone. “Watched, nothing received” does not mean that nothing was there.';

export function bandText({ id, field, floor_m, ceiling_m }: HeightBand, units: UnitSystem): string {
  const what = field === 'height_agl_m' ? 'above ground (estimated)' : 'altitude, no datum';
  if (id === HEIGHT_UNKNOWN) return 'Height unknown';
  const metres = (value: number) => `${groupedNumber(Math.round(lengthIn(units, value)))} ${LENGTH_UNIT[units]}`;
  if (floor_m === null) return `Below ${metres(ceiling_m ?? 0)} ${what}`;
  return ceiling_m === null ? `From ${metres(floor_m)} ${what}` : `${metres(floor_m)} to ${metres(ceiling_m)} ${what}`;
}

/** A rate with two digits: more would claim a precision that the sample of an hour does not have. */
export function coverageRateText(perHour: number): string {
  const rounded = Number(perHour.toPrecision(2));
  return rounded >= 1000 ? groupedNumber(rounded) : String(rounded);
}

/** A text for each step of the scale. */
export function stepTexts(steps: readonly number[]): readonly string[] {
  return steps.map((bound, index) => {
    const next = steps[index + 1];
    if (index === 0) return next === undefined ? 'above 0' : `below ${coverageRateText(next)}`;
    return next === undefined
      ? `${coverageRateText(bound)} and more`
      : `${coverageRateText(bound)} to ${coverageRateText(next)}`;
  });
}

const KM_A_DEGREE = 111.2;

/** The unit of a rate, with the size of cells, on which the rate depends. */
export function rateUnitText(counted: Counted, cellDeg: number): string {
  const km = Number((cellDeg * KM_A_DEGREE).toPrecision(2));
  return `${COUNTED_TEXT[counted]} received per watched hour, in cells of ${Number(cellDeg.toPrecision(2))}° (${km} km from south to north)`;
}

export function cellsText(count: number): string {
  return `${groupedNumber(count)} ${count === 1 ? 'cell' : 'cells'}`;
}

interface WatchedSeconds {
  readonly watchedS: number;
  readonly partlyS: number;
}

/** @param count of what is counted */
export function coverageCellText(
  { look, perHour }: CellRate,
  count: number,
  counted: Counted,
  watched: WatchedSeconds,
): string {
  if (look === 'not_watched') return LOOK_TEXT.not_watched;
  const { watchedS, partlyS } = watched;
  const watchedText = [
    watchedS > 0 ? `watched ${durationText(watchedS * SECOND_MS)}` : [],
    partlyS > 0 ? `partly watched ${durationText(partlyS * SECOND_MS)}` : [],
  ].flat();
  if (look === 'nothing_received') return `nothing received, ${watchedText.join(', ')}`;
  const rate = perHour === undefined ? 'no rate' : `${coverageRateText(perHour)} per watched hour`;
  const reads = watchedText.length === 0 ? ['not watched for a full minute'] : watchedText;
  return `${COUNTED_TEXT[counted].toLowerCase()} ${groupedNumber(count)}, ${rate}, ${reads.join(', ')}`;
}

/** The coverage in words for screen readers, above the table. */
export function coverageSummary(cells: Readonly<Record<Look, number>>, counted: Counted): string {
  return `${COUNTED_TEXT[counted]} received in ${cellsText(cells.received)}. Watched and nothing received in ${cellsText(cells.nothing_received)}. Other places were not watched.`;
}

/** Reasons why figures are not exact. */
export function coverageCautions(
  answer: Pick<CoverageAnswer, 'references_sampled' | 'watched_cut'>,
): readonly string[] {
  const percent = Math.max(1, Math.round(answer.references_sampled * 100));
  return [
    answer.references_sampled < 1 ? `References are estimates from a sample of ${percent}%.` : [],
    answer.watched_cut ? CUT_TEXT : [],
  ].flat();
}

const CUT_TEXT = 'Watched time is missing: more areas were read than are kept.';

const APART_ADJECTIVE: Readonly<Record<Apart, string>> = {
  simulated: 'simulated',
  test: 'test',
  inconsistent: 'contradicted',
};

/** The traffic that was counted apart; `undefined` where there is none. */
export function apartText(totals: ReceivedTotals, counted: Counted): string | undefined {
  const apart = APART.filter((name) => name !== counted && totals[name] > 0);
  if (apart.length === 0) return undefined;
  return `Not counted here: ${apart.map((name) => `${groupedNumber(totals[name])} ${APART_ADJECTIVE[name]}`).join(', ')} positions.`;
}

export function onlyApartText(names: readonly Apart[]): string {
  const adjectives = names.map((name) => APART_ADJECTIVE[name]);
  const last = adjectives.at(-1) ?? '';
  const joined = adjectives.length > 1 ? `${adjectives.slice(0, -1).join(', ')} and ${last}` : last;
  return `Only ${joined} traffic was received.`;
}

export function talliedText({ kept_since, counted_until }: CoverageAnswer, zone: ClockZone): string {
  const until = counted_until === null ? undefined : parseInstant(counted_until);
  if (until === undefined) return 'Nothing was counted yet.';
  const since = kept_since === null ? undefined : parseInstant(kept_since);
  const kept = since === undefined ? '' : `Kept since ${dateText(since, zone)} ${shortClockText(since, zone)}. `;
  return `${kept}Counted until ${dateText(until, zone)} ${clockText(until, zone)}.`;
}

const HOUR_S = HOUR_MS / SECOND_MS;

/** A part in percent, which is never 0% of some nor 100% of less than all. */
function percentText(part: number): string {
  if (part > 0 && part < 0.01) return 'under 1%';
  if (part < 1 && part > 0.99) return 'over 99%';
  return `${Math.round(part * 100)}%`;
}

function watchedPartText({ watched_s, partly_s }: Pick<OverviewHour, 'watched_s' | 'partly_s'>): string {
  const watched = `watched ${percentText(watched_s / HOUR_S)}`;
  return partly_s > 0 ? `${watched}, partly ${percentText(partly_s / HOUR_S)}` : watched;
}

/** A count of references, or an estimate with its standard error. */
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

/** A day with its weekday, such as `Fri 2026-11-27`. @param day such as `2026-11-27` */
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
