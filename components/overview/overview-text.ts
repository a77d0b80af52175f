import {
  APART,
  type Apart,
  type CoverageAnswer,
  type CoverageCells,
  type Look,
  type OverviewHour,
  type TimesOfDay,
} from '#lib/api/overview.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import type { CoverageChoice, OverviewSpan } from '#lib/client/overview/coverage-choice.ts';
import {
  type Counted,
  type Covered,
  cellRate,
  countedBeside,
  countedOf,
  coverageCountOf,
  hourLook,
  isReception,
  lookCounts,
  onlyApart,
  type ReceivedTotals,
  totalsOfHours,
} from '#lib/client/overview/coverage-rates.ts';
import { NIGHT, WORKING_HOURS } from '#lib/client/overview/overview-query.ts';
import { type ClockZone, clockText, dateText, shortClockText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { HEIGHT_BANDS, HEIGHT_UNKNOWN } from '#lib/model/height-band.ts';
import { bandsText } from '#lib/model/height-band-text.ts';
import { groupedNumber } from '#lib/model/measure-text.ts';
import { kmText, percentText, receptionShare, shareText } from '#lib/model/measured-reception.ts';
import type { Layer } from '#lib/model/position.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { epochMs, parseInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';

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

export const COVERED_TEXT: Readonly<Record<Covered, string>> = { ...COUNTED_TEXT, reception: 'Measured reception' };

const SPAN_TEXT: Readonly<Record<OverviewSpan, string>> = {
  1: 'the last hour',
  24: 'the last 24 h',
  168: 'the last 7 days',
  720: 'the last 30 days',
};

/** Such as `the last 7 nights 20–06`. */
export function coverageSpanText({ span, times }: Pick<CoverageChoice, 'span' | 'times'>): string {
  if (times === undefined) return SPAN_TEXT[span];
  const days = Math.max(1, (span * HOUR_MS) / DAY_MS);
  if (times === 'night') return `${days === 1 ? 'last night' : `the last ${days} nights`} ${hoursOfDay(NIGHT)}`;
  return `working hours ${hoursOfDay(WORKING_HOURS)} of ${days === 1 ? 'the last working day' : SPAN_TEXT[span]}`;
}

export const SPAN_LABEL: Readonly<Record<OverviewSpan, string>> = {
  1: '1 h',
  24: '24 h',
  168: '7 d',
  720: '30 d',
};

export const TIMES_LABEL: Readonly<Record<TimesOfDay, string>> = {
  night: `Night ${hoursOfDay(NIGHT)}`,
  work: `Work ${hoursOfDay(WORKING_HOURS)}`,
};

function hoursOfDay({ from, to }: typeof NIGHT | typeof WORKING_HOURS): string {
  return [from, to].map((hour) => String(hour).padStart(2, '0')).join('–');
}

export const OVERVIEW_NOTICE =
  'From received positions alone. “Watched, nothing received” does not mean that nothing was there.';

/** Choices of height, as the ids of bands that are added up: all below each edge, the bands between, above, and unknown. */
export function heightChoices(layer: Layer): readonly string[] {
  const known = HEIGHT_BANDS[layer].map(({ id }) => id).filter((id) => id !== HEIGHT_UNKNOWN);
  const below = known.slice(0, -1).map((_, index) => known.slice(0, index + 1).join());
  return [...below, ...known.slice(1), HEIGHT_UNKNOWN];
}

const HEIGHT_LABEL = { height_agl_m: 'Height above ground (estimated)', altitude_m: 'Altitude, no datum' } as const;

/** The field of a layer's height bands, with what its numbers do not promise. */
export function heightLabel(layer: Layer): string {
  const [lowest] = HEIGHT_BANDS[layer];
  return lowest ? HEIGHT_LABEL[lowest.field] : 'Height';
}

const SUBJECT: Readonly<Record<Counted, string>> = {
  references: '',
  positions: '',
  simulated: 'Simulated ',
  test: 'Test broadcasts of ',
  inconsistent: 'Contradicted ',
};

export interface OverviewQuestion extends CoverageChoice {
  /** Such as `in Runway 14/32`, or `around LSZH`. */
  readonly where: string;
}

/** The answer in one sentence, such as `Drones below 120 m above ground around LSZH, last night 20–06: received in 3 of 10 watched hours.` */
export function overviewSentence(
  { layer, band, counted: covered, where, ...time }: OverviewQuestion,
  hours: readonly OverviewHour[],
  units: UnitSystem,
): string {
  const counted = countedBeside(covered);
  const looks = lookCounts(hours.map((hour) => hourLook(hour, counted)));
  const watched = looks.received + looks.nothing_received;
  const name = `${SUBJECT[counted]}${SUBJECT[counted] === '' ? LAYER_NAME[layer] : LAYER_NAME[layer].toLowerCase()}`;
  const height = band === undefined ? '' : ` ${bandsText(layer, band, units, true)}`;
  const hoursText = (count: number) => `${groupedNumber(count)} watched ${count === 1 ? 'hour' : 'hours'}`;
  const received =
    watched === 0
      ? 'not watched'
      : looks.received === 0
        ? `nothing received in ${hoursText(watched)}`
        : `received in ${groupedNumber(looks.received)} of ${hoursText(watched)}`;
  const partlyS = hours.reduce((sum, { partly_s }) => sum + partly_s, 0);
  const partly = watched > 0 && partlyS > 0 ? ` Only partly watched for ${durationText(partlyS * SECOND_MS)}.` : '';
  const missing =
    watched > 0 && looks.not_watched > 0
      ? ` ${groupedNumber(looks.not_watched)} of ${groupedNumber(hours.length)} hours were not watched.`
      : '';
  const apart = onlyApart(totalsOfHours(hours));
  const isMain = counted === 'references' || counted === 'positions';
  const only = isMain && apart.length > 0 ? ` ${onlyApartText(apart)}` : '';
  return `${name}${height} ${where}, ${coverageSpanText(time)}: ${received}.${partly}${missing}${only}`;
}

/** A rate with two digits: more would claim a precision that the sample of an hour does not have. */
function coverageRateText(perHour: number): string {
  const rounded = Number(perHour.toPrecision(2));
  return rounded >= 1000 ? groupedNumber(rounded) : String(rounded);
}

export function rateText(rate: number, covered: Covered): string {
  return isReception(covered) ? percentText(rate) : coverageRateText(rate);
}

/** A text for each step of the scale. */
export function stepTexts(steps: readonly number[], covered: Covered): readonly string[] {
  const text = (bound: number) => rateText(bound, covered);
  return steps.map((bound, index) => {
    const next = steps[index + 1];
    if (index === 0) return next === undefined ? 'above 0' : `below ${text(next)}`;
    return next === undefined ? `${text(bound)} and more` : `${text(bound)} to ${text(next)}`;
  });
}

/** The unit of a rate, with the size of cells, on which the rate depends. */
export function rateUnitText(covered: Covered, cellDeg: number): string {
  const unit = isReception(covered)
    ? 'Time in which tracks were received, between their first and last reception'
    : `${COUNTED_TEXT[covered]} received per watched hour`;
  return `${unit}, in cells of ${Number(cellDeg.toPrecision(2))}° (${kmText(cellDeg)} from south to north)`;
}

export function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

export function cellsText(count: number): string {
  return `${groupedNumber(count)} ${count === 1 ? 'cell' : 'cells'}`;
}

/** @param answer the cell at `index` is read */
export function coverageCellText({ cells }: Pick<CoverageAnswer, 'cells'>, index: number, covered: Covered): string {
  const { look, rate } = cellRate(cells, index, covered);
  if (look === 'not_watched') return LOOK_TEXT.not_watched;
  const [watchedS, partlyS] = [cells.watched_s[index] ?? 0, cells.partly_s[index] ?? 0];
  const watchedText = [
    watchedS > 0 ? `watched ${durationText(watchedS * SECOND_MS)}` : [],
    partlyS > 0 ? `partly watched ${durationText(partlyS * SECOND_MS)}` : [],
  ].flat();
  if (look === 'nothing_received') return `nothing received, ${watchedText.join(', ')}`;
  const reads = watchedText.length === 0 ? ['not watched for a full minute'] : watchedText;
  if (isReception(covered)) {
    const received = rate === undefined ? 'received, not measured' : shareText(rate, cells.followed_s[index] ?? 0);
    return [received, ...reads].join(', ');
  }
  const perHour = rate === undefined ? 'no rate' : `${coverageRateText(rate)} per watched hour`;
  const count = groupedNumber(coverageCountOf(cells, index, covered));
  return `${COUNTED_TEXT[covered].toLowerCase()} ${count}, ${perHour}, ${reads.join(', ')}`;
}

/** Measured reception of all cells together, as a sentence. */
export function coverageReceptionText({
  followed_s,
  received_s,
}: Pick<CoverageCells, 'followed_s' | 'received_s'>): string {
  const sum = (column: readonly (number | null)[]) => column.reduce<number>((total, each) => total + (each ?? 0), 0);
  const share = receptionShare(sum(received_s), sum(followed_s));
  return share === undefined ? 'Reception is not measured here.' : `${capitalised(shareText(share, sum(followed_s)))}.`;
}

/** The coverage in words for screen readers, above the table. */
export function coverageSummary(cells: Readonly<Record<Look, number>>, covered: Covered): string {
  return `${COUNTED_TEXT[countedBeside(covered)]} received in ${cellsText(cells.received)}. Watched and nothing received in ${cellsText(cells.nothing_received)}. Other places were not watched.`;
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
export function apartText(totals: ReceivedTotals, counted: Covered): string | undefined {
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
