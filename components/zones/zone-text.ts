import type { WatchedNow, Zone, ZonePrice } from '#lib/api/watching/zones.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { type ClockZone, shortClockText } from '#lib/model/clock-text.ts';
import { distanceText } from '#lib/model/distance-text.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import { lengthText } from '#lib/model/measure-text.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { parseInstant } from '#lib/time/instant.ts';
import type { UNWATCHED_REASONS } from '#lib/zones/alarm.ts';
import { HEIGHT_FIELD_TEXT } from '#lib/zones/height-field.ts';
import type { UNKNOWN_HEIGHTS, Vertical, ZoneShape } from '#lib/zones/zone.ts';

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
        : `Up to ${ceiling}, floor not stated`
      : ceiling === undefined
        ? `From ${floor}, ceiling not stated`
        : `${floor} to ${ceiling}`;
  const text = `${limits}, ${HEIGHT_FIELD_TEXT[field]}`;
  return isBrief ? text : `${text}. An unknown height ${UNKNOWN_HEIGHT_TEXT[unknown]}`;
}

export function priceText({ requests_a_day, affordable_a_day, every_s }: ZonePrice): string {
  if (requests_a_day === null) return 'No price: this service does not count requests';
  const price = `${groupedNumber(Math.round(requests_a_day))} requests a day`;
  if (affordable_a_day === null || affordable_a_day >= requests_a_day) return price;
  const rate = every_s === null ? '' : `, one read in ${Math.round(every_s)} s`;
  return `${price}; with one open page the allowance affords ${groupedNumber(Math.round(affordable_a_day))}${rate}`;
}

export const REASON_TEXT: Readonly<Record<(typeof UNWATCHED_REASONS)[number], string>> = {
  allowance: 'the allowance does not suffice',
  upstream: 'the service does not answer',
  capped: 'the service sends only a part',
  stopped: 'Lookout was stopped',
  no_writer: 'no server sends requests',
  watch_failed: 'Lookout cannot evaluate it, and its log says why',
  receivers_lost: 'all receivers were down',
  receivers_partly: 'some receivers were down',
  not_equipped: 'no receiver for this layer',
};

export type WatchedTone = 'good' | 'warning' | 'neutral';

export function watchedText(
  { rules, hours }: Pick<Zone, 'rules' | 'hours'>,
  watched: WatchedNow | null,
  clock: ClockZone,
): { readonly text: string; readonly tone: WatchedTone } {
  // Only rules request reads.
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
      ? `${LAYER_NAME[layer]}: ${REASON_TEXT[reason]}`
      : stateText(`${LAYER_NAME[layer]} ${STATE_TEXT[state].toLowerCase()}`, since, reason, clock),
  );
  // Without a receiver it never was watched: no news for an operator.
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
  return `${state}${sinceText}${reason === null ? '' : `: ${REASON_TEXT[reason]}`}`;
}

export function sharedText({ mine, shared, owner }: Pick<Zone, 'mine' | 'shared' | 'owner'>): string {
  if (!mine) return `Shared by ${owner ?? 'this Lookout'}`;
  return shared ? 'Yours, shared' : 'Yours alone';
}
