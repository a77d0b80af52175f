import type { IncidentAnswer, LayerAnswer, OneIncident } from '#lib/api/watching/incidents.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { noticeTypeText } from '#lib/client/outputs/delivery-text.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { LAYERS } from '#lib/model/position.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { alarmHeadline, alarmStateText, tagTexts } from '#lib/zones/alarm-words.ts';
import { ENTRY_TEXT, personText, type TimeText, tagsOf, trackText, watchText } from './incident-text.ts';

/** What stands on the time axis of an incident: one lane for each kind of thing, in order of time. */

export interface AxisItem {
  readonly key: string;
  /** Such as `12:04:31Z Decision by ada: Runway closed`. */
  readonly name: string;
  readonly look: 'watched' | 'partly' | 'not_watched' | 'alarm' | 'note' | 'track' | 'simulated' | 'delivery' | 'lost';
  readonly fromMs: number;
  /** The same as `fromMs`: a moment. */
  readonly toMs: number;
  /** Tracks that the replay selects. */
  readonly refs: readonly string[];
  /** Shown beside it. */
  readonly label?: string;
}

export interface AxisLane {
  readonly name: string;
  readonly items: readonly AxisItem[];
  /** How many more there are. */
  readonly more?: number;
}

/** More lifelines would be pages. */
export const LIFELINES_MAX = 50;

interface AxisOptions {
  readonly one: OneIncident;
  /** `undefined`: not read yet. */
  readonly answer: IncidentAnswer | undefined;
  readonly startMs: number;
  readonly endMs: number;
  readonly time: TimeText;
}

export function axisLanes({ one, answer, startMs, endMs, time }: AxisOptions): readonly AxisLane[] {
  const layers = LAYERS.flatMap((layer) => {
    const of = answer?.layers[layer];
    return of ? [{ layer, of }] : [];
  });
  const tracks = layers
    .flatMap(({ layer, of }) => of.tracks.map((track) => ({ ...track, layer })))
    .sort((one, next) => Date.parse(one.first_at) - Date.parse(next.first_at));
  return [
    ...layers.map(({ layer, of }) => ({
      name: LAYER_NAME[layer],
      items: watchItems(LAYER_NAME[layer], of.not_watched, { startMs, endMs, time }),
    })),
    {
      name: 'Alarms',
      items: one.alarms.map((alarm) => ({
        key: alarm.id,
        name: [
          `${time(alarm.opened_at)} ${alarmHeadline(alarm)}`,
          alarmStateText(alarm, (text) => (text === null ? 'a time that is not stated' : time(text))),
          ...tagTexts(alarm, time),
        ].join(', '),
        look: 'alarm',
        fromMs: Date.parse(alarm.opened_at),
        toMs: alarm.ended_at === null ? endMs : Date.parse(alarm.ended_at),
        refs: alarm.track === null ? [] : [alarm.track],
      })),
    },
    {
      name: 'Notes',
      items: one.notes
        .map((note): AxisItem => {
          const atMs = Date.parse(note.at);
          const name = `${time(note.at)} ${ENTRY_TEXT[note.kind]} by ${personText(note.by)}: ${note.text}`;
          return { key: note.id, name, look: 'note', fromMs: atMs, toMs: atMs, refs: [] };
        })
        .sort((one, next) => one.fromMs - next.fromMs),
    },
    {
      name: 'Tracks inside',
      items: tracks.slice(0, LIFELINES_MAX).map((track) => ({
        key: track.track,
        name: [
          `${trackText(track.track, track.layer)} received ${time(track.first_at)} to ${time(track.last_at)}`,
          ...tagsOf(track),
        ].join(', '),
        look: track.simulated || track.test ? 'simulated' : 'track',
        fromMs: Date.parse(track.first_at),
        toMs: Date.parse(track.last_at),
        refs: [track.track],
        label: [trackText(track.track, track.layer), ...tagsOf(track)].join(' '),
      })),
      more: Math.max(0, tracks.length - LIFELINES_MAX),
    },
    {
      name: 'Notices sent',
      items: one.deliveries
        .map((delivery): AxisItem => {
          const { id, alarm, state, created_at, arrived_at, destination } = delivery;
          const atMs = Date.parse(arrived_at ?? created_at);
          const name = `${time(arrived_at ?? created_at)} ${destination.name}: ${noticeTypeText(delivery)}, ${DELIVERY_TEXT[state]}`;
          const look = state === 'given_up' ? 'lost' : 'delivery';
          return { key: `${alarm} ${id}`, name, look, fromMs: atMs, toMs: atMs, refs: [] };
        })
        .sort((one, next) => one.fromMs - next.fromMs),
    },
  ];
}

export const DELIVERY_TEXT = {
  waiting: 'waiting',
  arrived: 'arrived',
  grouped: 'in a notice with others',
  given_up: 'given up',
} as const;

/** The times that were watched, and those that were not with their reasons. */
function watchItems(
  layer: string,
  notWatched: LayerAnswer['not_watched'],
  { startMs, endMs, time }: Pick<AxisOptions, 'startMs' | 'endMs' | 'time'>,
): readonly AxisItem[] {
  const items: AxisItem[] = [];
  const watched = (fromMs: number, toMs: number) => {
    if (toMs <= fromMs) return;
    const [from, to] = [fromMs, toMs].map((ms) => time(new Date(ms).toISOString()));
    items.push({
      key: `watched ${fromMs}`,
      name: `${layer} watched, ${from} to ${to}`,
      look: 'watched',
      fromMs,
      toMs,
      refs: [],
    });
  };
  let untilMs = startMs;
  for (const stretch of notWatched) {
    const { from, to, reason } = stretch;
    const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
    watched(untilMs, fromMs);
    items.push({
      key: `${reason} ${from}`,
      name: `${layer}, ${time(from)} to ${time(to)}. ${watchText(stretch)}`,
      look: reason === 'receivers_partly' ? 'partly' : 'not_watched',
      fromMs,
      toMs,
      refs: [],
    });
    untilMs = Math.max(untilMs, toMs);
  }
  watched(untilMs, endMs);
  return items;
}

/** Moments that lie closer than this share of the axis stand in rows of their own. */
const APART = 0.02;
const ROWS_MAX = 6;

/** The row of each item of a lane: items of one row do not cover each other. */
export function rowsOf(items: readonly AxisItem[], lengthMs: number): readonly number[] {
  const endsMs: number[] = [];
  return items.map(({ look, fromMs, toMs }) => {
    if (look === 'watched' || look === 'partly' || look === 'not_watched') return 0;
    if (look === 'track' || look === 'simulated') return endsMs.push(toMs) - 1;
    const free = endsMs.findIndex((endMs) => endMs <= fromMs);
    const row = free !== -1 ? free : endsMs.length < ROWS_MAX ? endsMs.length : ROWS_MAX - 1;
    endsMs[row] = Math.max(toMs, fromMs + APART * lengthMs);
    return row;
  });
}

const STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360].map((minutes) => minutes * MINUTE_MS);
const TICKS_MAX = 6;

export function ticksOf(
  startMs: number,
  endMs: number,
  zone: ClockZone,
): readonly { readonly atMs: number; readonly text: string }[] {
  const stepMs = STEPS_MS.find((step) => (endMs - startMs) / step <= TICKS_MAX) ?? 6 * HOUR_MS;
  const ticks = [];
  for (let atMs = Math.ceil(startMs / stepMs) * stepMs; atMs <= endMs; atMs += stepMs)
    ticks.push({ atMs, text: clockText(upstreamInstant(atMs), zone).slice(0, 5) });
  return ticks;
}
