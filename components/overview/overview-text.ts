import { type Apart, type CoverageAnswer, type Look, lookOf, type OverviewHour } from '#lib/api/overview.ts';
import type { CellRate, Counted } from '#lib/client/overview/coverage-rates.ts';
import { countedOf, type HourCounted } from '#lib/client/overview/hour-count.ts';
import type { OverviewSpanHours } from '#lib/client/overview/overview-query.ts';
import { type ClockZone, clockText, dateText, shortClockText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import { HEIGHT_UNKNOWN, type HeightBand } from '#lib/model/height-band.ts';
import { LENGTH_UNIT, lengthIn, type UnitSystem } from '#lib/model/units.ts';
import { parseInstant } from '#lib/time/instant.ts';
import { HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';

export const LOOK_TEXT: Readonly<Record<Look, string>> = {
  received: 'Received',
  nothing_received: 'Watched, nothing received',
  not_watched: 'Not watched',
};

export const APART_TEXT: Readonly<Record<Apart, string>> = {
  simulated: 'Simulated',
  test: 'Test',
  inconsistent: 'Contradicted',
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

export const COVERAGE_LEGEND_TEXT = {
  noRate: 'Received; not watched for long enough for a rate',
  nothingReceived: LOOK_TEXT.nothing_received,
  notWatched: 'Not watched: no colour',
} as const;

export const OVERVIEW_NOTICE =
  'From received positions alone. “Watched, nothing received” does not mean that nothing was there.';

export function bandText({ id, field, floor_m, ceiling_m }: HeightBand, units: UnitSystem): string {
  const what = field === 'height_agl_m' ? 'above ground (estimated)' : 'altitude, no datum';
  if (id === HEIGHT_UNKNOWN) return 'Height unknown';
  const metres = (value: number) => `${groupedNumber(Math.round(lengthIn(units, value)))} ${LENGTH_UNIT[units]}`;
  if (floor_m === null) return `Below ${metres(ceiling_m ?? 0)} ${what}`;
  return ceiling_m === null ? `From ${metres(floor_m)} ${what}` : `${metres(floor_m)} to ${metres(ceiling_m)} ${what}`;
}

/** Two digits: more would claim a precision that an hour's sample does not have. */
export function rateText(perHour: number): string {
  const rounded = Number(perHour.toPrecision(2));
  return rounded >= 1000 ? groupedNumber(rounded) : String(rounded);
}

/** One a step of the scale. */
export function stepTexts(steps: readonly number[]): readonly string[] {
  return steps.map((bound, index) => {
    const next = steps[index + 1];
    if (index === 0) return next === undefined ? 'above 0' : `below ${rateText(next)}`;
    return next === undefined ? `${rateText(bound)} and more` : `${rateText(bound)} to ${rateText(next)}`;
  });
}

export function rateUnitText(counted: Counted): string {
  return `${COUNTED_TEXT[counted]} received per watched hour`;
}

/** @param watchedS with time watched partly */
export function cellText({ look, perHour }: CellRate, counted: Counted, watchedS: number): string {
  if (look === 'not_watched') return LOOK_TEXT.not_watched;
  const watched = watchedS > 0 ? `watched ${durationText(watchedS * SECOND_MS)}` : 'not watched for a full minute';
  if (look === 'nothing_received') return `${LOOK_TEXT.nothing_received}: ${watched}`;
  const rate = perHour === undefined ? 'no rate' : `${rateText(perHour)} an hour`;
  return `${COUNTED_TEXT[counted]}: ${rate}, ${watched}`;
}

/** For screen readers, above the table. */
export function coverageSummary(rates: readonly CellRate[], counted: Counted): string {
  const having = (look: Look) => rates.filter((rate) => rate.look === look).length;
  const cells = (count: number) => `${groupedNumber(count)} ${count === 1 ? 'cell' : 'cells'}`;
  return `${COUNTED_TEXT[counted]} received in ${cells(having('received'))}. Watched and nothing received in ${cells(having('nothing_received'))}. Other places were not watched.`;
}

/** Reasons why figures are not exact. */
export function coverageCautions(
  answer: Pick<CoverageAnswer, 'references_sampled' | 'watched_cut'>,
): readonly string[] {
  const percent = Math.round(answer.references_sampled * 100);
  return [
    answer.references_sampled < 1 ? `References are estimates from a sample of ${percent}%.` : [],
    answer.watched_cut ? 'Watched time is missing: more areas were read than are kept.' : [],
  ].flat();
}

/** Of the hour in the grid; `undefined`: counted exactly. */
export function referencesText({
  references,
  references_error,
}: Pick<OverviewHour, 'references' | 'references_error'>): string {
  if (references_error === null) return groupedNumber(references);
  return `about ${groupedNumber(references)} ± ${groupedNumber(Math.max(1, Math.round(references_error)))}`;
}

export function watchedPartText({ watched_s, partly_s }: Pick<OverviewHour, 'watched_s' | 'partly_s'>): string {
  const part = (seconds: number) => `${Math.round((seconds * SECOND_MS * 100) / HOUR_MS)}%`;
  return partly_s > 0 ? `watched ${part(watched_s)}, partly ${part(partly_s)}` : `watched ${part(watched_s)}`;
}

export const HOUR_COUNTED_TEXT: Readonly<Record<HourCounted, string>> = {
  references: 'References received',
  simulated: 'Simulated references',
  test: 'Test references',
  inconsistent: 'Contradicted references',
};

export function hourText(hour: OverviewHour, counted: HourCounted, zone: ClockZone): string {
  const at = parseInstant(hour.start);
  const start = at === undefined ? hour.start : `${dateText(at, zone)} ${shortClockText(at, zone)}`;
  const { references, positions } = countedOf(hour, counted);
  switch (lookOf(references, hour.watched_s, hour.partly_s)) {
    case 'not_watched':
      return `${start}: not watched`;
    case 'nothing_received':
      return `${start}: nothing received, ${watchedPartText(hour)}`;
    case 'received':
      return `${start}: ${HOUR_COUNTED_TEXT[counted].toLowerCase()} ${referencesText(countedOf(hour, counted))}, ${groupedNumber(positions)} positions, ${watchedPartText(hour)}`;
  }
}

export const HOURS_NOTE =
  'Hatched: watched, nothing received. Framed without a colour: not watched. A line below: partly watched. References are distinct in each hour and never aircraft: one aircraft can have several.';

export function talliedText({ kept_since, counted_until }: CoverageAnswer, zone: ClockZone): string {
  const until = counted_until === null ? undefined : parseInstant(counted_until);
  if (until === undefined) return 'Nothing was counted yet.';
  const since = kept_since === null ? undefined : parseInstant(kept_since);
  const kept = since === undefined ? '' : `Kept since ${dateText(since, zone)} ${shortClockText(since, zone)}. `;
  return `${kept}Counted until ${dateText(until, zone)} ${clockText(until, zone)}.`;
}
