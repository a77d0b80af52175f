'use client';

import { type KeyboardEvent, useState } from 'react';
import type { IncidentAnswer, IncidentEntry, LayerAnswer, OneIncident } from '#lib/api/watching/incidents.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { noticeTypeText } from '#lib/client/outputs/delivery-text.ts';
import {
  checkLines,
  ENTRY_TEXT,
  lowestText,
  personText,
  seenText,
  type TimeText,
  tagsOf,
  trackText,
  watchText,
} from '#lib/incidents/incident-text.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { groupedNumber, nearDistanceText } from '#lib/model/measure-text.ts';
import { LAYERS } from '#lib/model/position.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { alarmHeadline, alarmStateText, noteText, tagTexts } from '#lib/zones/alarm-words.ts';
import { lonLatText } from './incident-text.ts';

export interface AxisItem {
  readonly key: string;
  /** Such as `12:04:31Z`. */
  readonly when: string;
  /** Such as `Decision by ada: Runway closed`. */
  readonly what: string;
  /** Further sentences, in the tables alone. */
  readonly lines?: readonly string[];
  readonly look: keyof typeof LOOKS;
  readonly fromMs: number;
  /** The same as `fromMs`: a moment. */
  readonly toMs: number;
  /** Tracks that the replay selects. */
  readonly refs: readonly string[];
  /** Shown next to it. */
  readonly label?: string;
}

export interface AxisLane {
  readonly name: string;
  readonly items: readonly AxisItem[];
  /** How many more there are. */
  readonly more?: number;
}

const LOOKS = {
  watched: 'var(--good)',
  partly: 'repeating-linear-gradient(135deg, var(--warning) 0 4px, transparent 4px 8px)',
  not_watched: 'repeating-linear-gradient(90deg, var(--bad) 0 1px, transparent 1px 4px)',
  alarm: 'var(--bad)',
  note: 'var(--focus)',
  track: 'var(--text)',
  simulated: 'repeating-linear-gradient(90deg, var(--text) 0 6px, transparent 6px 9px)',
  delivery: 'var(--dim)',
} as const;

const KEY = {
  watched: 'watched',
  partly: 'partly watched',
  not_watched: 'not watched, or not read',
  simulated: 'SIM or TEST',
} as const;

/** More lifelines would be pages. */
const LIFELINES_MAX = 50;

interface LanesOptions {
  readonly one: OneIncident;
  /** `undefined`: not read yet. */
  readonly answer: IncidentAnswer | undefined;
  readonly startMs: number;
  readonly endMs: number;
  readonly units: UnitSystem;
  readonly time: TimeText;
}

/** The axis of an incident: one lane for each kind of thing, in order of time. */
export function axisLanes({ one, answer, startMs, endMs, units, time }: LanesOptions): readonly AxisLane[] {
  const span = (from: string, to: string) => ({
    when: `${time(from)} to ${time(to)}`,
    fromMs: Date.parse(from),
    toMs: Date.parse(to),
  });
  const moment = (at: string) => ({ when: time(at), fromMs: Date.parse(at), toMs: Date.parse(at) });
  const stated = (text: string | null) => (text === null ? 'a time that is not stated' : time(text));
  const ordered = (items: AxisItem[]) => items.sort((one, next) => one.fromMs - next.fromMs);
  const layers = LAYERS.flatMap((layer) => {
    const of = answer?.layers[layer];
    return of ? [{ layer, of, name: LAYER_NAME[layer] }] : [];
  });
  const tracks = ordered(
    layers.flatMap(({ layer, of }) =>
      of.tracks.map((track): AxisItem => {
        const label = [trackText(track.track, layer), ...tagsOf(track)].join(' ');
        const measures = `lowest ${lowestText(track, units)}; nearest ${nearDistanceText(units, track.nearest_m)}; ${groupedNumber(track.positions)} positions`;
        return {
          ...span(track.first_at, track.last_at),
          key: track.track,
          what: `${label}: ${measures}`,
          look: tagsOf(track).length > 0 ? 'simulated' : 'track',
          refs: [track.track],
          label,
        };
      }),
    ),
  );
  const pins = one.tracks.map(({ track, remark, by, at }): AxisItem => {
    const what = [`Pinned by ${personText(by)}: ${track}`, remark].filter((text) => text !== '').join(', ');
    return { ...moment(at), key: `pin ${track}`, what, look: 'note', refs: [track] };
  });
  const alarms = one.alarms.map((alarm): AxisItem => {
    const ended = alarm.ended_at === null ? endMs : Date.parse(alarm.ended_at);
    const added = one.added.filter((each) => each.alarm === alarm.id);
    return {
      ...moment(alarm.opened_at),
      toMs: ended,
      key: alarm.id,
      what: [alarmHeadline(alarm), alarmStateText(alarm, stated), ...tagTexts(alarm, time)].join(', '),
      lines: [
        ...added.map(({ by, remark }) => `Added by ${personText(by)}: ${remark}`),
        ...alarm.notes.map((note) => noteText(note, stated)),
      ],
      look: 'alarm',
      refs: alarm.track === null ? [] : [alarm.track],
    };
  });
  const notes = one.notes.map((note): AxisItem => {
    const what = `${ENTRY_TEXT[note.kind]} by ${personText(note.by)}: ${note.text}`;
    return {
      ...moment(note.at),
      key: note.id,
      what,
      lines: entryLines(note, one.notes, units, time),
      look: 'note',
      refs: [],
    };
  });
  const deliveries = one.deliveries.map((delivery): AxisItem => {
    const { id, alarm, state, created_at, arrived_at, destination } = delivery;
    const what = `${destination.name}: ${noticeTypeText(delivery)}, ${state.replace('_', ' ')}`;
    const look = state === 'given_up' ? 'alarm' : 'delivery';
    return { ...moment(arrived_at ?? created_at), key: `${alarm} ${id}`, what, look, refs: [] };
  });
  return [
    ...layers.map(({ name, of }) => ({ name, items: watchItems(name, of.not_watched, { startMs, endMs, span }) })),
    { name: 'Alarms', items: ordered(alarms) },
    { name: 'Notes', items: ordered([...notes, ...pins]) },
    { name: 'Tracks inside', items: tracks.slice(0, LIFELINES_MAX), more: Math.max(0, tracks.length - LIFELINES_MAX) },
    { name: 'Notices', items: ordered(deliveries) },
  ];
}

/** The times that were watched, and those that were not with their reasons. */
function watchItems(
  layer: string,
  notWatched: LayerAnswer['not_watched'],
  {
    startMs,
    endMs,
    span,
  }: Pick<LanesOptions, 'startMs' | 'endMs'> & {
    readonly span: (from: string, to: string) => Pick<AxisItem, 'when' | 'fromMs' | 'toMs'>;
  },
): readonly AxisItem[] {
  const items: AxisItem[] = [];
  const watched = (fromMs: number, toMs: number) => {
    const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
    if (toMs > fromMs)
      items.push({ ...span(from, to), key: from, what: `${layer} watched`, look: 'watched', refs: [] });
  };
  let untilMs = startMs;
  for (const stretch of notWatched) {
    const { from, to, reason } = stretch;
    const look = reason === 'receivers_partly' ? 'partly' : 'not_watched';
    watched(untilMs, Date.parse(from));
    items.push({
      ...span(from, to),
      key: `${reason} ${from}`,
      what: `${layer}. ${watchText(stretch)}`,
      look,
      refs: [],
    });
    untilMs = Math.max(untilMs, Date.parse(to));
  }
  watched(untilMs, endMs);
  return items;
}

/** Such as `the note of 12:06:00Z`. */
export function entryName({ kind, at }: Pick<IncidentEntry, 'kind' | 'at'>, time: TimeText): string {
  return `the ${kind === 'sighting' ? 'sighting' : 'note'} of ${time(at)}`;
}

/** A note without its text: the notes that it corrects and that correct it, its place and its check. */
export function entryLines(
  { id, corrects, place, kind, check, sighting }: IncidentEntry,
  notes: readonly IncidentEntry[],
  units: UnitSystem,
  time: TimeText,
): readonly string[] {
  const named = (each: IncidentEntry) => `${entryName(each, time)} by ${personText(each.by)}`;
  const seen = sighting ? `Seen ${seenText(sighting, units)}` : [];
  return [
    notes.filter((each) => each.id === corrects).map((each) => `Corrects ${named(each)}`),
    notes.filter((each) => each.corrects === id).map((each) => `Corrected by ${named(each)}`),
    place ? `${kind === 'sighting' ? 'From' : 'At'} ${lonLatText(place as [number, number])}` : [],
    seen,
    check ? checkLines(check, units, time).map((line) => line.text) : [],
  ].flat();
}

/** The share of the axis that a label needs on a phone. */
const LABEL = 0.42;
/** As high as a finger needs. */
const ROW_PX = 24;
/** Moments that lie closer than this share of the axis stand in rows of their own. */
const APART = 0.035;
const ROWS_MAX = 6;

/** The row of each item of a lane: items of one row do not cover each other. */
function rowsOf(items: readonly AxisItem[], lengthMs: number): readonly number[] {
  const endsMs: number[] = [];
  return items.map(({ look, label, fromMs, toMs }) => {
    if (look in KEY && label === undefined) return 0;
    if (label !== undefined) return endsMs.push(toMs) - 1;
    const free = endsMs.findIndex((endMs) => endMs <= fromMs);
    const row = free === -1 ? Math.min(endsMs.length, ROWS_MAX - 1) : free;
    endsMs[row] = Math.max(toMs, fromMs + APART * lengthMs);
    return row;
  });
}

const TICK_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360];
const TICKS_MAX = 6;

interface IncidentAxisProps {
  readonly lanes: readonly AxisLane[];
  readonly startMs: number;
  readonly endMs: number;
  readonly zone: ClockZone;
  /** The replay of a moment on the map. */
  readonly addressOf: (item: AxisItem) => string;
}

/** One time axis over lanes. Tab goes from lane to lane, arrow keys along one; each item leads to the replay of its moment. */
export function IncidentAxis({ lanes, startMs, endMs, zone, addressOf }: IncidentAxisProps) {
  const [pointed, setPointed] = useState<string>();
  const share = (ms: number) => Math.min(1, Math.max(0, (ms - startMs) / (endMs - startMs)));
  const stepMs =
    (TICK_STEPS.find((minutes) => (endMs - startMs) / (minutes * MINUTE_MS) <= TICKS_MAX) ?? 360) * MINUTE_MS;
  const first = Math.ceil(startMs / stepMs);
  const ticks = Array.from({ length: Math.floor(endMs / stepMs) - first + 1 }, (_, tick) => (first + tick) * stepMs);
  const shared = { share, lengthMs: endMs - startMs, addressOf, onPoint: setPointed };
  return (
    <div className="flex flex-col gap-1">
      {lanes.map((lane) => (
        <Lane key={lane.name} lane={lane} {...shared} />
      ))}
      <div aria-hidden className="relative ml-27 h-5 border-edge border-t text-caption text-dim phone:ml-20">
        {ticks.map((atMs) => (
          <span key={atMs} className="absolute border-edge border-l pl-1" style={{ left: `${share(atMs) * 100}%` }}>
            {share(atMs) < 0.92 && clockText(upstreamInstant(atMs), zone).slice(0, 5)}
          </span>
        ))}
      </div>
      <p aria-hidden className="min-h-[2lh] text-caption text-dim print:hidden" data-testid="axis-item">
        {pointed ?? 'Choose an item to replay its moment on the map.'}
      </p>
      <p className="flex flex-wrap gap-x-4 text-caption text-dim">
        {(Object.keys(KEY) as (keyof typeof KEY)[]).map((look) => (
          <span key={look} className="flex items-center gap-1.5">
            <span aria-hidden className="h-2 w-5 border border-edge" style={{ background: LOOKS[look] }} />
            {KEY[look]}
          </span>
        ))}
      </p>
    </div>
  );
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

interface LaneProps extends Pick<IncidentAxisProps, 'addressOf'> {
  readonly lane: AxisLane;
  readonly share: (ms: number) => number;
  readonly lengthMs: number;
  readonly onPoint: (name: string) => void;
}

function Lane({ lane: { name, items, more = 0 }, share, lengthMs, addressOf, onPoint }: LaneProps) {
  const [current, setCurrent] = useState(0);
  const rows = rowsOf(items, lengthMs);
  const last = items.length - 1;
  const reached = Math.min(current, last);
  const onKeyDown = (event: KeyboardEvent<HTMLUListElement>) => {
    const step = STEPS[event.key] ?? { Home: -reached, End: last }[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.currentTarget.querySelectorAll('a')[Math.min(last, Math.max(0, reached + step))]?.focus();
  };
  return (
    <div className="flex items-start">
      <span className="w-27 shrink-0 pt-0.75 pr-2 text-caption phone:w-20">
        {name}
        {more > 0 && <span className="block text-dim">and {more} more</span>}
      </span>
      {items.length === 0 && <span className="pt-0.75 text-caption text-dim">None</span>}
      <ul
        aria-label={name}
        hidden={items.length === 0}
        className="relative min-w-0 flex-1"
        style={{ height: (Math.max(0, ...rows) + 1) * ROW_PX }}
        onKeyDown={onKeyDown}
      >
        {items.map((item, index) => {
          const [from, to] = [share(item.fromMs), share(item.toMs)];
          const spoken = `${item.when} ${item.what}`;
          // Next to the line where a phone has room for the label, or else on it.
          const side =
            to < 1 - LABEL ? 'left-full pl-1.5' : from > LABEL ? 'right-full pr-1.5' : 'left-1 bg-surface px-1';
          const top = (rows[index] ?? 0) * ROW_PX + 6;
          // An item at the end keeps its least width within the axis.
          const place = from > 0.98 ? { right: 0 } : { left: `${from * 100}%` };
          return (
            <li
              key={item.key}
              className="absolute h-3 min-w-2.5"
              style={{ top, width: `${(to - from) * 100}%`, ...place }}
            >
              <a
                href={addressOf(item)}
                aria-label={spoken}
                className="absolute inset-0 rounded-[3px] border border-surface after:absolute after:-inset-1.5"
                style={{ background: LOOKS[item.look] }}
                tabIndex={index === reached ? 0 : -1}
                onFocus={() => {
                  setCurrent(index);
                  onPoint(spoken);
                }}
                onMouseEnter={() => onPoint(spoken)}
              >
                {item.label !== undefined && (
                  <span className={`absolute -top-0.75 whitespace-nowrap text-caption ${side}`}>{item.label}</span>
                )}
              </a>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
