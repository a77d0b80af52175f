'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Download, Eye, Printer } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { LostLayer, UnwatchedStretch, Zone } from '#lib/api/watching/zones.ts';
import { type AlarmLog, alarmLogQuery, markSeen, seenQuery } from '#lib/client/alarms/alarms-query.ts';
import { saveFile } from '#lib/client/browser/save-file.ts';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { failureMessage } from '#lib/client/request/refusal-message.ts';
import { useRested } from '#lib/client/request/use-rested.ts';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import { dateTimeText } from '#lib/model/clock-text.ts';
import { csvRows } from '#lib/text/csv.ts';
import { epochMs, parseInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { noteText } from '#lib/zones/alarm-words.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { AlarmGroupRow, replayAlarm } from './alarm-row.tsx';
import { lostText, unrecordedText, unwatchedText } from './alarm-text.ts';
import { ZoneChoice } from './alarms-page.tsx';
import { ShiftReportDialog } from './shift-report.tsx';

const SPANS = [
  { value: 'seen', label: 'Unseen' },
  { value: '1', label: '24 h' },
  { value: '7', label: '7 days' },
  { value: '365', label: '365 days' },
] as const;
type Span = (typeof SPANS)[number]['value'];

const RESTED_MS = 300;
const SHOWN_MAX = 300;

/**
 * The log of a span: alarms, and stretches that were not watched. Keys go through the list; files and a shift report have
 * the same content.
 * @param onShown lowers the sheet of a small screen
 */
export function LogPage({ onShown }: { readonly onShown: () => void }) {
  const lookout = useLookout();
  const [{ zone: clock }] = usePreferences();
  const queries = useQueryClient();
  const { data: zoneData } = useQuery(zonesQuery());
  const { data: seen } = useQuery(seenQuery());
  const [span, setSpan] = useState<Span>('seen');
  const [text, setText] = useState('');
  const [zone, setZone] = useState<string>();
  const [isReporting, setReporting] = useState(false);
  // The end is fixed, so that the list does not move under J and K.
  const [endMs, setEndMs] = useState(() => epochMs(lookout.feed.presumedNow()));
  const wanted = useRested(text.trim(), RESTED_MS);
  const zones = zoneData?.zones.map((each) => each.zone) ?? [];
  const startMs = startOf(span, endMs, seen?.until ?? null);
  const question = { start: iso(startMs), end: iso(endMs), text: wanted, zone };
  const { data, error, isFetching } = useQuery({
    ...alarmLogQuery(question),
    enabled: span !== 'seen' || seen !== undefined,
  });
  const marking = useMutation<void, Error>({
    mutationFn: () => markSeen(iso(endMs)),
    onSettled: () => queries.invalidateQueries({ queryKey: seenQuery().queryKey }),
    networkMode: 'always',
  });
  const entries = data ? logEntries(data) : [];
  const start = parseInstant(question.start);
  const unrecorded = data?.watching && unrecordedText(data.watching, question.start, clock);
  return (
    <div className="flex min-h-full flex-col">
      <div className="flex flex-col gap-2 px-4 py-3">
        <ChoiceRow
          label="Span"
          hidesLabel
          value={span}
          choices={SPANS}
          onChange={(chosen) => {
            setEndMs(epochMs(lookout.feed.presumedNow()));
            setSpan(chosen);
          }}
        />
        <div className="flex gap-2">
          <input
            type="search"
            aria-label="Find in the log"
            placeholder="Find in the log"
            value={text}
            maxLength={80}
            autoComplete="off"
            onChange={(event) => setText(event.target.value)}
            className="h-8 min-w-0 flex-1 rounded-control border border-edge bg-background px-2 placeholder:text-dim phone:h-11"
          />
          <ZoneChoice
            zones={zones}
            zone={zone}
            onChange={setZone}
            className="h-8 min-w-0 max-w-32 rounded-control border border-edge bg-background px-2 phone:h-11"
          />
        </div>
        <p role="status" className="text-caption text-dim">
          Since {start === undefined ? question.start : dateTimeText(start, clock)}
          {data &&
            ` · ${data.alarms.length}${data.isCut ? ' or more' : ''} ${data.alarms.length === 1 ? 'alarm' : 'alarms'}`}
          {isFetching && ' · reading…'}
        </p>
      </div>
      {error && (
        <p role="alert" className="px-4 pb-2 text-bad">
          The log could not be read. {failureMessage(error)}
        </p>
      )}
      {data && entries.length === 0 && (
        <p className="px-4 pb-3 text-dim">
          {unrecorded || !data.watching
            ? 'No such alarm is recorded in this span.'
            : 'No alarm, and no stretch without watching, is recorded in this span.'}
        </p>
      )}
      {unrecorded && <p className="px-4 pb-3 text-dim">{unrecorded}</p>}
      <LogEntries entries={entries.slice(0, SHOWN_MAX)} zones={zones} onShown={onShown} />
      {entries.length > SHOWN_MAX && (
        <p className="px-4 py-2 text-dim">and {entries.length - SHOWN_MAX} more: choose a shorter span, or export.</p>
      )}
      <div className="mt-auto flex flex-col gap-2 border-line border-t px-4 py-3">
        <div className="flex flex-wrap gap-2">
          {span === 'seen' && (
            <Button look="primary" disabled={marking.isPending} onClick={() => marking.mutate()}>
              <Eye aria-hidden size={14} />
              Mark all as seen
            </Button>
          )}
          <Button disabled={!data} onClick={() => data && save('csv', alarmsCsv(data.alarms))}>
            <Download aria-hidden size={14} />
            CSV
          </Button>
          <Button disabled={!data} onClick={() => data && save('geojson', alarmsGeojson(data.alarms))}>
            <Download aria-hidden size={14} />
            GeoJSON
          </Button>
          <Button onClick={() => setReporting(true)}>
            <Printer aria-hidden size={14} />
            Shift report
          </Button>
        </div>
        {marking.error && (
          <p role="alert" className="text-bad">
            It could not be stored up to where you have seen.
          </p>
        )}
        {isReporting && <ShiftReportDialog onClose={() => setReporting(false)} />}
        <p className="text-caption text-dim phone:hidden">In the list: J next, K previous, R replay.</p>
      </div>
    </div>
  );
}

function startOf(span: Span, endMs: number, seen: string | null): number {
  if (span !== 'seen') return endMs - Number(span) * DAY_MS;
  const seenAt = seen === null ? undefined : parseInstant(seen);
  return seenAt === undefined ? endMs - DAY_MS : Math.min(epochMs(seenAt), endMs - 1);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function save(kind: 'csv' | 'geojson', text: string): void {
  const type = kind === 'csv' ? 'text/csv' : 'application/geo+json';
  saveFile(new Blob([text], { type }), `lookout-alarms.${kind}`);
}

function LogEntries({
  entries,
  zones,
  onShown,
}: {
  readonly entries: readonly AlarmLogEntry[];
  readonly zones: readonly Zone[];
  readonly onShown: () => void;
}) {
  const lookout = useLookout();
  const [{ zone: clock, singleKeys }] = usePreferences();
  const list = useRef<HTMLUListElement>(null);
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const { activeElement } = document;
    if (event.ctrlKey || event.altKey || event.metaKey || isElsewhere(activeElement)) return;
    const items = [...(list.current?.children ?? [])].filter((each) => each instanceof HTMLElement);
    const at = items.findIndex((item) => item.contains(activeElement));
    if (items.length === 0 || (at === -1 && !singleKeys)) return;
    const key = event.key.toLowerCase();
    if (key === 'j') items[Math.min(items.length - 1, at + 1)]?.focus();
    else if (key === 'k') items[Math.max(0, at - 1)]?.focus();
    else if (key === 'r') {
      const entry = entries[at];
      if (entry?.kind !== 'alarm') return;
      replayAlarm(lookout, entry.alarm);
      onShown();
    } else return;
    // The keys have other actions on the map.
    event.preventDefault();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKeyDown(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
  return (
    <ul
      ref={list}
      aria-label="What happened, the latest first"
      className="divide-y divide-line border-line border-t empty:hidden"
      data-testid="alarm-log"
    >
      {entries.map((entry) => (
        <li
          key={keyOf(entry)}
          tabIndex={-1}
          className="[contain-intrinsic-size:auto_96px] [content-visibility:auto] focus-visible:-outline-offset-2"
        >
          {entry.kind === 'alarm' ? (
            <AlarmGroupRow
              group={{ latest: entry.alarm, earlier: [] }}
              zones={zones}
              selection={undefined}
              onShown={onShown}
            />
          ) : (
            <p className="border-warning border-l-3 py-2 pr-2 pl-3">
              {entry.kind === 'lost' ? lostText(entry.lost, clock) : unwatchedText(entry.stretch, clock)}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

function keyOf(entry: AlarmLogEntry): string {
  switch (entry.kind) {
    case 'alarm':
      return entry.alarm.id;
    case 'unwatched':
      return `${entry.stretch.zone.id} ${entry.at}`;
    case 'lost':
      return `${entry.lost.layer} ${entry.at}`;
  }
}

function isElsewhere(focused: Element | null): boolean {
  return focused?.closest('input, textarea, select, [role="dialog"], [role="menu"]') != null;
}

export type AlarmLogEntry =
  | { readonly kind: 'alarm'; readonly at: string; readonly alarm: Alarm }
  | { readonly kind: 'unwatched'; readonly at: string; readonly stretch: UnwatchedStretch }
  | { readonly kind: 'lost'; readonly at: string; readonly lost: LostLayer };

/** Sorts the latest entry first. */
export function logEntries({ alarms, watching }: Pick<AlarmLog, 'alarms' | 'watching'>): readonly AlarmLogEntry[] {
  const entries: AlarmLogEntry[] = [
    ...alarms.map((alarm) => ({ kind: 'alarm' as const, at: alarm.opened_at, alarm })),
    ...(watching?.unwatched ?? []).map((stretch) => ({ kind: 'unwatched' as const, at: stretch.from, stretch })),
    ...(watching?.lost ?? []).map((each) => ({ kind: 'lost' as const, at: each.from, lost: each })),
  ];
  return entries.sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

const COLUMNS: readonly (readonly [string, (alarm: Alarm) => string | number | boolean | null])[] = [
  ['id', ({ id }) => id],
  ['zone', ({ zone }) => zone.name],
  ['zone_revision', ({ zone }) => zone.revision],
  ['rule', ({ rule }) => rule.kind],
  ['kind', ({ kind }) => kind],
  ['layer', ({ layer }) => layer],
  ['track', ({ track }) => track],
  ['other_track', ({ other }) => other?.ref ?? null],
  ['opened_at', ({ opened_at }) => opened_at],
  ['decided_at', ({ decided_at }) => decided_at],
  ['state', ({ state }) => state],
  ['unknown_since', ({ unknown_since }) => unknown_since],
  ['ended_at', ({ ended_at }) => ended_at],
  ['ended', ({ ended }) => ended],
  ['count', ({ count }) => count],
  ['found_later_s', ({ found_later }) => found_later],
  ['height_unknown', ({ height_unknown }) => height_unknown],
  ['simulated', ({ simulated }) => simulated],
  ['test', ({ test }) => test],
  ['expected', ({ expected }) => expected],
  ['permit', ({ permit }) => permit?.name ?? null],
  ['permit_until', ({ permit }) => permit?.until ?? null],
  ['perhaps_same_as', ({ perhaps_same_as }) => perhaps_same_as],
  ['acknowledged_by', ({ acknowledged }) => acknowledged?.by ?? null],
  ['acknowledged_at', ({ acknowledged }) => acknowledged?.at ?? null],
  ['acknowledged_until', ({ acknowledged }) => acknowledged?.until ?? null],
  ['acknowledged_comment', ({ acknowledged }) => acknowledged?.comment ?? null],
  ['closed_by', ({ closed }) => closed?.by ?? null],
  ['closed_at', ({ closed }) => closed?.at ?? null],
  ['closed_as', ({ closed }) => closed?.as ?? null],
  ['closed_comment', ({ closed }) => closed?.comment ?? null],
  ['notes', ({ notes }) => notes.map((note) => noteText(note, (text) => text ?? '')).join('; ')],
  ['latitude', (alarm) => lastOf(alarm)?.latitude ?? null],
  ['longitude', (alarm) => lastOf(alarm)?.longitude ?? null],
];

/** The alarms as CSV. Unknown values are empty fields. */
export function alarmsCsv(alarms: readonly Alarm[]): string {
  const rows = alarms.map((alarm) => COLUMNS.map(([, read]) => read(alarm)));
  return csvRows([COLUMNS.map(([name]) => name), ...rows]);
}

/** The alarms as GeoJSON. Features lie where they were decided. */
export function alarmsGeojson(alarms: readonly Alarm[]): string {
  const features = alarms.map((alarm) => {
    const last = lastOf(alarm);
    return {
      type: 'Feature',
      geometry: last ? { type: 'Point', coordinates: [last.longitude, last.latitude] } : null,
      properties: Object.fromEntries(COLUMNS.map(([name, read]) => [name, read(alarm)])),
    };
  });
  return JSON.stringify({ type: 'FeatureCollection', features });
}

function lastOf({ evidence }: Alarm) {
  return evidence.at(-1);
}
