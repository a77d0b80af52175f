import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { LostLayer, UnwatchedStretch } from '#lib/api/watching/zones.ts';
import type { AlarmLog } from '#lib/client/alarms/alarms-query.ts';
import { csvRows } from '#lib/text/csv.ts';
import { noteText } from '#lib/zones/alarm-words.ts';

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
