import type { SuspendedRule, WatchedNow, Zone, ZonePrice } from '#lib/api/watching/zones.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { newRule } from '#lib/client/zones/zone-draft.ts';
import { type ClockZone, shortClockText } from '#lib/model/clock-text.ts';
import { confidenceText } from '#lib/model/confidence.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { distanceText, groupedNumber, lengthText } from '#lib/model/measure-text.ts';
import type { Layer } from '#lib/model/position.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { parseInstant } from '#lib/time/instant.ts';
import { UNWATCHED_TEXT } from '#lib/zones/alarm-words.ts';
import { HEIGHT_FIELD_TEXT } from '#lib/zones/height-field.ts';
import type { Rule } from '#lib/zones/rule.ts';
import { kindOf, ruleKindText } from '#lib/zones/rule-kinds.ts';
import { type Hours, type UNKNOWN_HEIGHTS, type Vertical, WEEKDAYS, type ZoneShape } from '#lib/zones/zone.ts';

/** Zones in words: ground, heights, price, watching, rules and hours, in the units and time zone of the operator. */

export const UNKNOWN_HEIGHT_TEXT: Readonly<Record<(typeof UNKNOWN_HEIGHTS)[number], string>> = {
  counts: 'counts as inside',
  excluded: 'does not count',
  flagged: 'counts, marked “height unknown”',
};

export const SHAPE_TEXT: Readonly<Record<ZoneShape['type'], string>> = {
  Polygon: 'Polygon',
  Circle: 'Circle',
  Corridor: 'Corridor',
};

export function shapeText(shape: ZoneShape, units: UnitSystem): string {
  switch (shape.type) {
    case 'Polygon': {
      const [edge = [], ...holes] = shape.coordinates;
      const corners = `Polygon, ${edge.length - 1} corners`;
      return holes.length === 0 ? corners : `${corners}, ${holes.length === 1 ? '1 hole' : `${holes.length} holes`}`;
    }
    case 'Circle':
      return `Circle, radius ${distanceText(units, shape.radius_m)}`;
    case 'Corridor':
      return `Corridor, ${distanceText(units, shape.half_width_m)} to each side`;
  }
}

/** @param isBrief without what an unknown height means */
export function verticalText(vertical: Vertical, units: UnitSystem, isBrief = false): string {
  if (!vertical) return 'Every height';
  const { field, floor_m, ceiling_m, unknown } = vertical;
  const [floor, ceiling] = [lengthText(units, floor_m ?? undefined), lengthText(units, ceiling_m ?? undefined)];
  const limits =
    floor === undefined
      ? ceiling === undefined
        ? 'Limits not stated'
        : `Up to ${ceiling}`
      : ceiling === undefined
        ? `From ${floor}`
        : `${floor} to ${ceiling}`;
  const text = `${limits}, ${HEIGHT_FIELD_TEXT[field]}`;
  return isBrief ? text : `${text}. An unknown height ${UNKNOWN_HEIGHT_TEXT[unknown]}`;
}

export function priceText({ requests_a_day, affordable_a_day, every_s }: ZonePrice): string {
  if (requests_a_day === null) return '';
  const price = `${groupedNumber(Math.round(requests_a_day))} requests a day`;
  if (affordable_a_day === null || affordable_a_day >= requests_a_day) return price;
  const rate = every_s === null ? '' : `, one read in ${Math.round(every_s)} s`;
  return `${price}; with one open page the allowance affords ${groupedNumber(Math.round(affordable_a_day))}${rate}`;
}

type WatchedTone = 'good' | 'warning' | 'neutral';

export function watchedText(
  { rules, hours }: Pick<Zone, 'rules' | 'hours'>,
  watched: WatchedNow | null,
  clock: ClockZone,
): { readonly text: string; readonly tone: WatchedTone } {
  // Without a rule, nothing is read for the zone.
  if (rules.length === 0) return { text: 'Not watched: the zone has no rule', tone: 'neutral' };
  if (!watched)
    return { text: hours === null ? 'Not watched yet' : 'Not watched yet, or outside its hours', tone: 'neutral' };
  const { layers = [] } = watched;
  const [first] = layers;
  if (layers.every(({ state, reason }) => state === first?.state && reason === first.reason)) {
    const { since, state, reason } = watched;
    return { text: stateText(STATE_TEXT[state], since, reason, clock), tone: state === 'watched' ? 'good' : 'warning' };
  }
  const texts = layers.map(({ layer, state, since, reason }) =>
    reason === 'not_equipped'
      ? `${LAYER_NAME[layer]}: ${UNWATCHED_TEXT[reason]}`
      : stateText(`${LAYER_NAME[layer]} ${STATE_TEXT[state].toLowerCase()}`, since, reason, clock),
  );
  // A layer without a receiver was never watched, which is no news for an operator.
  const isNews = layers.some(({ state, reason }) => state !== 'watched' && reason !== 'not_equipped');
  return { text: texts.join('. '), tone: isNews ? 'warning' : 'neutral' };
}

const STATE_TEXT: Readonly<Record<WatchedNow['state'], string>> = {
  watched: 'Watched',
  partly: 'Partly watched',
  not_watched: 'Not watched',
};

function stateText(state: string, since: string, reason: WatchedNow['reason'], clock: ClockZone): string {
  const at = parseInstant(since);
  const sinceText = at === undefined ? '' : ` since ${shortClockText(at, clock)}`;
  return `${state}${sinceText}${reason === null ? '' : `: ${UNWATCHED_TEXT[reason]}`}`;
}

export function sharedText({ mine, shared, owner }: Pick<Zone, 'mine' | 'shared' | 'owner'>): string {
  if (mine) return shared ? 'Yours, shared' : 'Yours alone';
  // A zone that was made before sign-in was switched on.
  if (owner === null) return 'Shared, of no person';
  return shared ? `Shared by ${owner}` : `${owner} alone`;
}

/** Why a rule is suspended, and what an operator may do. */
export function suspensionText({ reason, layer, alarms }: SuspendedRule): string {
  if (reason === 'rule_failed')
    return `Suspended for ${LAYER_TEXT[layer]}: the rule failed. Save the zone to try again.`;
  return `Suspended for ${LAYER_TEXT[layer]}: ${groupedNumber(alarms ?? 0)} alarms or more, too many to list. Narrow the rule.`;
}

const LAYER_TEXT: Readonly<Record<Layer, string>> = { rid: 'drones', adsb: 'aircraft' };

/** A rule in one line, such as `Entered — drones, after 20 s or 30 m inside`. */
export function ruleText(rule: Rule, units: UnitSystem): string {
  const layers = rule.layers.map((layer) => LAYER_TEXT[layer]).join(' and ');
  return [`${ruleKindText(rule, units)} — ${layers}`, ...conditionTexts(rule, units)].join(', ');
}

function conditionTexts(rule: Rule, units: UnitSystem): readonly string[] {
  const { min_receivers, confidence, simulated, test, notify, escalate } = rule;
  return [
    ...holdTexts(rule, units),
    min_receivers > 1 ? `${min_receivers} receivers or more` : [],
    confidence === null ? [] : `confidence ${confidence.map(confidenceText).join(' or ')}`,
    simulated ? 'simulated too' : [],
    test ? 'test broadcasts too' : [],
    notify.length === 0 ? [] : `sent to ${notify.length === 1 ? '1 destination' : `${notify.length} destinations`}`,
    escalate === null ? [] : `escalated after ${durationText(escalate.after_s * 1000)}`,
  ].flat();
}

/** The holds of a rule, where they differ from those of a new rule. */
function holdTexts(rule: Rule, units: UnitSystem): readonly string[] {
  const { hold_s, hold_m, hold_out_s, hold_out_m } = rule;
  const usual = newRule(rule.kind);
  const held = measures(hold_s, kindOf(rule).insideS ? 0 : hold_m, units);
  const heldOut = measures(hold_out_s, hold_out_m, units);
  return [
    hold_s === usual.hold_s && hold_m === usual.hold_m
      ? []
      : held.length === 0
        ? 'at once'
        : `after ${held.join(' or ')} inside`,
    hold_out_s === usual.hold_out_s && hold_out_m === usual.hold_out_m
      ? []
      : heldOut.length === 0
        ? 'ends at once'
        : `ends after ${heldOut.join(' and ')} outside`,
  ].flat();
}

function measures(seconds: number, metres: number, units: UnitSystem): readonly string[] {
  return [seconds > 0 ? durationText(seconds * 1000) : [], metres > 0 ? (lengthText(units, metres) ?? []) : []].flat();
}

type Weekday = (typeof WEEKDAYS)[number];

export const WEEKDAY_TEXT: Readonly<Record<Weekday, string>> = {
  mon: 'Mon',
  tue: 'Tue',
  wed: 'Wed',
  thu: 'Thu',
  fri: 'Fri',
  sat: 'Sat',
  sun: 'Sun',
};

/** The hours of a zone, also in UTC by the offset of its time zone at `atMs`. */
export function hoursText(hours: Hours, atMs: number): string {
  if (!hours) return 'Always';
  const offset = offsetMinutes(hours.time_zone, atMs);
  if ('weekly' in hours) {
    const windows = hours.weekly.map(({ days, from, to }) => {
      const utc = offset === undefined ? '' : ` (${shifted(from, -offset)}–${shifted(to, -offset)} UTC now)`;
      return `${daysText(days)} ${from}–${to}${utc}`;
    });
    return `${windows.join(', ')}, ${hours.time_zone}`;
  }
  const { from, to, time_zone } = hours;
  return `${spanEnd(from)} to ${spanEnd(to)}, ${time_zone}${utcSpan(from, to, time_zone)}`;
}

/** Days in one text, such as `Mon–Fri` or `Sat, Sun`. */
export function daysText(days: readonly Weekday[]): string {
  const chosen = WEEKDAYS.filter((day) => days.includes(day));
  if (chosen.length === WEEKDAYS.length) return 'Daily';
  const runs: Weekday[][] = [];
  for (const day of chosen) {
    const last = runs.at(-1);
    const before = WEEKDAYS[WEEKDAYS.indexOf(day) - 1];
    if (last && last.at(-1) === before) last.push(day);
    else runs.push([day]);
  }
  const text = (day: Weekday | undefined) => (day ? WEEKDAY_TEXT[day] : '');
  return runs
    .map((run) => (run.length > 2 ? `${text(run[0])}–${text(run.at(-1))}` : run.map(text).join(', ')))
    .join(', ');
}

/** Minutes that the zone is ahead of UTC; `undefined` for an unknown zone. */
function offsetMinutes(timeZone: string, atMs: number): number | undefined {
  try {
    const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(atMs);
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes] = /^GMT(?:([+-])(\d{2}):(\d{2}))?$/.exec(name) ?? [];
    if (!name.startsWith('GMT')) return undefined;
    return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
  } catch {
    return undefined;
  }
}

function shifted(time: string, byMinutes: number): string {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const day = 24 * 60;
  const at = (((hours * 60 + minutes + byMinutes) % day) + day) % day;
  return `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`;
}

function spanEnd(local: string): string {
  return local.replace('T', ' ');
}

function utcSpan(from: string, to: string, timeZone: string): string {
  const ends = [from, to].map((local) => {
    const atMs = Date.parse(`${local}:00Z`);
    const offset = offsetMinutes(timeZone, atMs);
    return offset === undefined ? undefined : new Date(atMs - offset * 60_000).toISOString().slice(0, 16);
  });
  const [start, end] = ends;
  return start === undefined || end === undefined ? '' : ` (${spanEnd(start)} to ${spanEnd(end)} UTC)`;
}
