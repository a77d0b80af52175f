import 'server-only';
import { type Alarm, type AlarmExportQuery, EXPORTED_ALARMS_MAX } from '#lib/api/watching/alarms.ts';
import { CSV_TYPE, type CsvValue, csvRows } from '#lib/text/csv.ts';
import { noteText } from '#lib/zones/alarm-words.ts';
import type { ZoneCaller } from '../zone-rows.ts';
import type { Alarms } from './alarms.ts';

interface LogWriter {
  readonly mediaType: string;
  readonly start: string;
  readonly page: (alarms: readonly Alarm[]) => string;
  readonly end: (isCut: boolean) => string;
}

const WRITERS: Readonly<Record<AlarmExportQuery['format'], () => LogWriter>> = { csv: csvLog, geojson: geojsonLog };

/** Reads the first page at once. @throws ApiError if unreadable */
export async function alarmLog(
  alarms: Pick<Alarms, 'page'>,
  caller: ZoneCaller,
  { format, ...filter }: AlarmExportQuery,
  max = EXPORTED_ALARMS_MAX,
): Promise<{
  readonly mediaType: string;
  readonly body: (signal?: AbortSignal) => AsyncGenerator<Uint8Array>;
  /** Counts the alarms that the body has written so far. */
  readonly written: { alarms: number; isCut: boolean };
}> {
  const writer = WRITERS[format]();
  const written = { alarms: 0, isCut: false };
  const first = await alarms.page(caller, filter);
  async function* body(signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    yield Buffer.from(writer.start);
    let page = first;
    for (let left = max; ; left -= page.alarms.length, page = await alarms.page(caller, filter, page.next, signal)) {
      const taken = page.alarms.slice(0, left);
      const text = writer.page(taken);
      written.alarms += taken.length;
      if (text !== '') yield Buffer.from(text);
      const isCut = page.alarms.length > left || (page.alarms.length === left && page.next !== undefined);
      if (!isCut && page.next) continue;
      yield Buffer.from(writer.end(isCut));
      written.isCut = isCut;
      return;
    }
  }
  return { mediaType: writer.mediaType, body, written };
}

const CUT = `This file ends after ${EXPORTED_ALARMS_MAX.toLocaleString('en')} alarms: export a shorter time.`;

function fieldsOf(alarm: Alarm) {
  const { zone, rule, other, acknowledged, closed, evidence, track, found_later, id, notes, permit, watched, ...rest } =
    alarm;
  const last = evidence.at(-1);
  return {
    id,
    zone_id: zone.id,
    zone: zone.name,
    zone_revision: zone.revision,
    rule_id: rule.id,
    rule: rule.kind,
    track,
    other_layer: other?.layer ?? null,
    other_track: other?.ref ?? null,
    ...rest,
    found_later_s: found_later,
    permit: permit?.name ?? null,
    permit_until: permit?.until ?? null,
    flight_watched_s: watched?.watched_s ?? null,
    flight_of_s: watched?.of_s ?? null,
    acknowledged_by: acknowledged?.by ?? null,
    acknowledged_at: acknowledged?.at ?? null,
    acknowledged_until: acknowledged?.until ?? null,
    acknowledged_comment: acknowledged?.comment ?? null,
    closed_by: closed?.by ?? null,
    closed_at: closed?.at ?? null,
    closed_as: closed?.as ?? null,
    closed_comment: closed?.comment ?? null,
    notes: notes.map((note) => noteText(note, (text) => text ?? '')).join('; '),
    longitude: last?.longitude ?? null,
    latitude: last?.latitude ?? null,
    altitude_m: last?.altitude_m ?? null,
    height_agl_m: last?.height_agl_m ?? null,
    confidence: last?.confidence ?? null,
    receiver_count: last?.receiver_count ?? null,
  };
}

const COLUMNS = [
  ...[
    'row',
    'id',
    'zone_id',
    'zone',
    'zone_revision',
    'rule_id',
    'rule',
    'layer',
    'track',
    'other_layer',
    'other_track',
  ],
  'revision',
  ...['kind', 'opened_at', 'decided_at', 'state', 'unknown_since', 'ended_at', 'ended', 'count', 'found_later_s'],
  ...['height_unknown', 'simulated', 'test', 'expected', 'permit', 'permit_until', 'perhaps_same_as'],
  ...['flight_watched_s', 'flight_of_s'],
  ...['acknowledged_by', 'acknowledged_at', 'acknowledged_until', 'acknowledged_comment'],
  ...['closed_by', 'closed_at', 'closed_as', 'closed_comment', 'notes'],
  ...['longitude', 'latitude', 'altitude_m', 'height_agl_m', 'confidence', 'receiver_count'],
] as const;

function csvLog(): LogWriter {
  return {
    mediaType: CSV_TYPE,
    start: csvRows([COLUMNS]),
    page: (alarms) =>
      csvRows(
        alarms.map((alarm) => {
          const fields: Readonly<Record<string, CsvValue>> = { row: 'alarm', ...fieldsOf(alarm) };
          return COLUMNS.map((name) => fields[name]);
        }),
      ),
    end: (isCut) => (isCut ? csvRows([['cut', CUT, ...COLUMNS.slice(2).map(() => null)]]) : ''),
  };
}

/** RFC 7946. No third coordinate: the datum of `altitude_m` is not stated. */
function geojsonLog(): LogWriter {
  let isFirst = true;
  return {
    mediaType: 'application/geo+json',
    start: '{"type":"FeatureCollection","features":[\n',
    page: (alarms) =>
      alarms
        .map((alarm) => {
          const { longitude, latitude, ...properties } = fieldsOf(alarm);
          const geometry = longitude === null ? null : { type: 'Point', coordinates: [longitude, latitude] };
          const separator = isFirst ? '' : ',\n';
          isFirst = false;
          const feature = {
            type: 'Feature',
            geometry,
            properties: { ...properties, evidence: alarm.evidence },
          };
          return `${separator}${JSON.stringify(feature)}`;
        })
        .join(''),
    end: (isCut) => `\n],"cut":${isCut ? JSON.stringify(CUT) : 'null'}}\n`,
  };
}
