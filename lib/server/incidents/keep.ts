import 'server-only';
import { ApiError } from '#lib/api/error-code.ts';
import { isReception, PAST_REASONS, type PastReason } from '#lib/api/layer-reason.ts';
import type { ReceptionAnswer } from '#lib/api/overview.ts';
import type { AuditEntry } from '#lib/api/people/audit-event.ts';
import { type Incident, type IncidentAnswer, KEPT_MAX } from '#lib/api/watching/incidents.ts';
import type { Layer } from '#lib/model/position.ts';
import { csvRows } from '#lib/text/csv.ts';
import {
  epochMs,
  isoTime,
  type LocalInstant,
  localInstant,
  type UpstreamInstant,
  upstreamInstant,
} from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { drawnGeometry } from '#lib/zones/formats/drawn-geometry.ts';
import type { ZoneShape } from '#lib/zones/zone.ts';
import type { AuditEvents } from '../audit/audit-events.ts';
import type { Database } from '../database/database.ts';
import { EXPORTED_FIELDS, fieldOf } from '../export/export-writers.ts';
import type { WatchedLedger } from '../zones/watch/watched-ledger.ts';
import { contentOf, latestRevisions, revisionRows, type ZoneCaller } from '../zones/zone-rows.ts';
import { incidentAlarms, incidentDeliveries } from './incident-alarms.ts';
import {
  answerOfReading,
  hoursBetween,
  type LoadPast,
  type ReadOptions,
  readIncident,
  sumOfReadings,
  withinRequests,
} from './incident-answer.ts';
import { type IncidentQuestion, type IncidentRow, questionOf } from './incident-rows.ts';
import type { Incidents } from './incidents.ts';
import type { Pieces, PieceWriter } from './pieces.ts';

/** Kept before and after the window. */
const AROUND_MS = 3 * MINUTE_MS;

/** The bounds of one incident. Tests choose smaller ones. */
export type KeptBounds = Readonly<Record<keyof typeof KEPT_MAX, number>>;

/** Measured reception of an area, as of now. */
export type ReceptionOf = (area: { readonly shape: ZoneShape }, signal: AbortSignal) => Promise<ReceptionAnswer>;

export interface KeepOptions {
  readonly database: Database;
  readonly incidents: Incidents;
  readonly pieces: Pieces;
  readonly audit: Pick<AuditEvents, 'read'>;
  readonly watched: Pick<WatchedLedger, 'between'>;
  readonly everyone: ZoneCaller;
  readonly reception: ReceptionOf;
  readonly now: () => UpstreamInstant;
  readonly bounds?: KeptBounds;
}

export interface ClosingTerms {
  readonly revision: number;
  readonly maxRequests: number;
  /** Close although a part of the past could not be read. */
  readonly incomplete: boolean;
  readonly load: LoadPast;
  readonly signal: AbortSignal;
}

/**
 * Closes an incident: copies what its area and window contain. The incident is closed with the last step, in one
 * transaction; before, nothing of the copy counts.
 * @throws ApiError where it is not open, has more than may be kept, or could not all be read
 */
export async function keepIncident(
  options: KeepOptions,
  caller: ZoneCaller,
  id: string,
  terms: ClosingTerms,
): Promise<Incident> {
  const { incidents, pieces, now, bounds = KEPT_MAX } = options;
  const { revision, signal } = terms;
  const row = await incidents.rowFor('close', id, revision);
  const nowMs = Math.floor(epochMs(now()));
  const toMs = Math.min(row.to_ms ?? nowMs, nowMs);
  if (toMs <= row.from_ms) throw new ApiError('not_possible', 'It has not begun.');
  if (toMs - row.from_ms > bounds.hours * HOUR_MS)
    throw new ApiError('not_possible', `It ran for over ${bounds.hours} hours: set its end first.`);
  return pieces.whole(false, async (writer) => {
    const question = { ...questionOf(row), toMs };
    const positions = await keepAll({ ...options, ...terms, bounds, row, question, nowMs, writer });
    signal.throwIfAborted();
    return incidents.end('close', caller, id, revision, {
      state: 'closed',
      to_ms: toMs,
      closed_by: caller.actor,
      closed_ms: nowMs,
      kept_id: writer.id,
      kept_positions: positions,
      kept_bytes: writer.bytes,
    });
  });
}

interface Keeping extends KeepOptions, ClosingTerms {
  readonly bounds: KeptBounds;
  readonly row: IncidentRow;
  readonly question: IncidentQuestion & { readonly toMs: number };
  readonly nowMs: number;
  readonly writer: PieceWriter;
}

async function keepAll(keeping: Keeping): Promise<number> {
  const { row, question, nowMs, writer, database, everyone, incidents, audit } = keeping;
  const { positions, reading, around } = await keepPositions(keeping);
  requireRead(reading, keeping.incomplete);
  const answer = answerOfReading(reading, nowMs);
  await writer.write('tracks.csv', tracksCsv(answer));
  const isZoneSeen = question.zoneId !== undefined && (await isSeen(database, everyone, question.zoneId));
  await writer.write('watched.csv', await watchedCsv(keeping, around, isZoneSeen));
  const reception = await keeping.reception(question, keeping.signal);
  await writer.write('answer.json', json({ ...answer, reception }));
  const { added, tracks } = await incidents.pins(row.id);
  const pinned = added.map(({ alarm }) => alarm);
  const alarms = await incidentAlarms(database, everyone, question, pinned);
  await writer.write('alarms.json', json({ alarms, added, pinned_tracks: tracks }));
  await writer.write('deliveries.json', json({ deliveries: await incidentDeliveries(database, alarms) }));
  await writer.write('zones.geojson', await zonesGeojson(database, row, question, isZoneSeen));
  const since = localInstant(Math.min(question.fromMs, row.opened_ms) - AROUND_MS);
  const ids = new Set(alarms.map((alarm) => alarm.id));
  await writer.write('audit.json', json({ entries: await aboutIncident(audit, since, ids, row.id) }));
  await writer.end();
  requireWithin(keeping.bounds, positions, writer.bytes);
  return positions;
}

/** @throws ApiError over a bound */
function requireWithin(bounds: KeptBounds, positions: number, bytes: number): void {
  const over = [
    positions > bounds.positions && `${bounds.positions.toLocaleString('en')} positions`,
    bytes > bounds.bytes && `${bounds.bytes / 1e6} MB`,
  ].find((each) => each !== false);
  if (over !== undefined)
    throw new ApiError('not_possible', `It has more than ${over}: choose a smaller area, or a shorter time.`);
}

/** Whether everyone sees it now: its past is as private as it is. */
async function isSeen({ query }: Database, everyone: ZoneCaller, zoneId: string): Promise<boolean> {
  const seen = latestRevisions(query, everyone).select('zone_id').where('zone_id', '=', zoneId);
  return (await seen.executeTakeFirst()) !== undefined;
}

type Reading = Awaited<ReturnType<typeof readIncident>>;

const POSITION_COLUMNS = ['layer', 'inside', ...EXPORTED_FIELDS] as const;

/** @returns what was read of its window, and with what is around it */
async function keepPositions({ question, nowMs, writer, load, signal, maxRequests, bounds }: Keeping) {
  const { fromMs, toMs } = question;
  let positions = 0;
  await writer.write('positions.csv', csvRows([POSITION_COLUMNS]));
  const within = withinRequests(load, maxRequests);
  const onRecords: ReadOptions['onRecords'] = async (layer, records) => {
    positions += records.length;
    requireWithin(bounds, positions, writer.bytes);
    const cells = ({ isInside, ...record }: (typeof records)[number]) =>
      [layer, isInside, ...EXPORTED_FIELDS.map((name) => fieldOf(record, name))] as const;
    if (records.length > 0) await writer.write('positions.csv', csvRows(records.map(cells)));
  };
  const read = async (from: number, to: number) => {
    const readings: Reading[] = [];
    for (const [startMs, endMs] of hoursBetween(from, to))
      readings.push(await readIncident({ question, maxRequests, load: within, signal, onRecords }, startMs, endMs));
    return sumOfReadings(question, readings);
  };
  const before = await read(fromMs - AROUND_MS, fromMs);
  const reading = await read(fromMs, toMs);
  const after = await read(toMs, Math.min(toMs + AROUND_MS, nowMs));
  return { positions, reading, around: sumOfReadings(question, [before, reading, after]) };
}

/** @throws ApiError for a past that another try could read */
function requireRead(reading: Reading, incomplete: boolean): void {
  if (incomplete) return;
  const reasons = new Set([...reading.values()].flatMap(({ notWatched }) => notWatched.map(({ reason }) => reason)));
  const open = [...reasons].filter((reason) => !isReception(reason) && reason !== 'outside_lookback');
  if (open.length > 0)
    throw new ApiError(
      'past_incomplete',
      `Not all of the past could be read: ${open.map((reason) => PAST_REASONS[reason as PastReason].past).join('; ')}.`,
    );
}

const TRACK_COLUMNS = [
  ...(['track', 'first_at', 'last_at', 'lowest_m', 'lowest_field', 'nearest_m'] as const),
  ...(['positions', 'simulated', 'test'] as const),
] as const;

function tracksCsv({ layers }: IncidentAnswer): string {
  const rows = Object.entries(layers).flatMap(([layer, { tracks }]) =>
    tracks.map((track) => [layer, ...TRACK_COLUMNS.map((name) => track[name])]),
  );
  return csvRows([['layer', ...TRACK_COLUMNS], ...rows]);
}

/** `positions`: whether positions could be received and were read. `alarms`: whether the zone was watched. */
async function watchedCsv(
  { watched, nowMs, question }: Keeping,
  reading: Reading,
  isZoneSeen: boolean,
): Promise<string> {
  const fromMs = question.fromMs - AROUND_MS;
  const toMs = Math.min(question.toMs + AROUND_MS, nowMs);
  const rows: (string | null)[][] = [['what', 'layer', 'from', 'to', 'state', 'reason']];
  const add = (layer: Layer, from: number, to: number, state: string, reason: string | null) => {
    if (from < to) rows.push(['positions', layer, isoTime(from), isoTime(to), state, reason]);
  };
  for (const [layer, { notWatched }] of reading) {
    let watchedFromMs = fromMs;
    for (const { fromMs: from, toMs: to, reason } of notWatched) {
      add(layer, watchedFromMs, from, 'watched', null);
      add(layer, from, to, reason === 'receivers_partly' ? 'partly' : 'not_watched', reason);
      watchedFromMs = Math.max(watchedFromMs, to);
    }
    add(layer, watchedFromMs, toMs, 'watched', null);
  }
  if (question.zoneId !== undefined && isZoneSeen) {
    const { layers } = await watched.between(question.zoneId, upstreamInstant(fromMs), upstreamInstant(toMs));
    for (const { layer, from, to, state, reason } of layers) rows.push(['alarms', layer, from, to, state, reason]);
  }
  return csvRows(rows);
}

/** The area of the incident, and each revision of its zone up to its end. */
async function zonesGeojson(
  { query }: Database,
  row: IncidentRow,
  { shape, zoneId, toMs }: Keeping['question'],
  isZoneSeen: boolean,
): Promise<string> {
  const revisions =
    zoneId === undefined || !isZoneSeen
      ? []
      : await revisionRows(query)
          .where('zone_revision.zone_id', '=', zoneId)
          .where('zone_revision.at_ms', '<=', toMs)
          .orderBy('zone_revision.revision')
          .execute();
  const feature = (of: ZoneShape, properties: object) =>
    ({ type: 'Feature', geometry: drawnGeometry(of), properties }) as const;
  const features = [
    feature(shape, { what: 'area of the incident', shape, zone: row.zone_name }),
    ...revisions.map((each) => {
      const content = contentOf(each);
      const { name, revision, at_ms, author_name, removed } = each;
      const of = { name, revision, at: isoTime(at_ms), by: author_name, removed: removed === 1 };
      return feature(content.shape, { what: 'revision of the zone', ...of, ...content });
    }),
  ];
  return json({ type: 'FeatureCollection', features });
}

const AUDIT_PAGE = 500;

/** An entry of the audit without the address of its person, which admins alone see. */
export type KeptAction = Omit<AuditEntry, 'address' | 'request_id'>;

/** Actions of people on alarms and on the incident itself, in order of time. */
export async function aboutIncident(
  audit: Pick<AuditEvents, 'read'>,
  since: LocalInstant,
  alarms: ReadonlySet<string>,
  incident: string,
): Promise<readonly KeptAction[]> {
  const entries: KeptAction[] = [];
  for (let before: string | undefined; ; ) {
    const page = await audit.read({ since, before, limit: AUDIT_PAGE });
    for (const { address, request_id, ...entry } of page)
      if (isAbout(entry.event, alarms, incident)) entries.push(entry);
    before = page.at(-1)?.id;
    if (page.length < AUDIT_PAGE || before === undefined) return entries.reverse();
  }
}

function isAbout(event: AuditEntry['event'], alarms: ReadonlySet<string>, incident: string): boolean {
  if ('alarm' in event && alarms.has(event.alarm)) return true;
  return 'incident' in event && event.incident === incident;
}

/** As files of a sealed incident have it. */
export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}
