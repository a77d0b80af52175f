import 'server-only';
import { randomUUID } from 'node:crypto';
import { ApiError } from '#lib/api/error-code.ts';
import { isReception, PAST_REASONS, type PastReason } from '#lib/api/layer-reason.ts';
import type { AuditEntry } from '#lib/api/people/audit-event.ts';
import { type Incident, type IncidentAnswer, KEPT_MAX } from '#lib/api/watching/incidents.ts';
import { csvRows } from '#lib/text/csv.ts';
import { epochMs, formatInstant, localInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { drawnGeometry } from '#lib/zones/formats/drawn-geometry.ts';
import type { AuditEvents, AuditFilter } from '../audit/audit-events.ts';
import type { Database } from '../database/database.ts';
import { EXPORTED_FIELDS, fieldOf } from '../export/export-writers.ts';
import type { WatchedLedger } from '../zones/watch/watched-ledger.ts';
import { contentOf, revisionRows, type ZoneCaller } from '../zones/zone-rows.ts';
import { incidentAlarms, incidentDeliveries } from './incident-alarms.ts';
import {
  answerOfReading,
  type IncidentReading,
  type LoadPast,
  readIncident,
  sumOfReadings,
} from './incident-answer.ts';
import { type IncidentQuestion, type IncidentRow, questionOf } from './incident-rows.ts';
import type { Incidents } from './incidents.ts';
import type { Pieces, PieceWriter } from './pieces.ts';

/** Kept before and after the window. */
const AROUND_MS = 3 * MINUTE_MS;

export interface KeepOptions {
  readonly database: Database;
  readonly incidents: Incidents;
  readonly pieces: Pieces;
  readonly audit: Pick<AuditEvents, 'read'>;
  readonly watched: Pick<WatchedLedger, 'between'>;
  readonly everyone: ZoneCaller;
  readonly now: () => UpstreamInstant;
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
export async function closeIncident(
  options: KeepOptions,
  caller: ZoneCaller,
  id: string,
  { revision, maxRequests, incomplete, load, signal }: ClosingTerms,
): Promise<Incident> {
  const { incidents, pieces, now } = options;
  const row = await incidents.row(id);
  if (row.state !== 'open') throw new ApiError('not_possible', 'It is closed already.');
  if (row.revision !== revision)
    throw new ApiError('revision_conflict', 'Another change of this incident came first: read it again.');
  const nowMs = Math.floor(epochMs(now()));
  const toMs = Math.min(row.to_ms ?? nowMs, nowMs);
  if (toMs <= row.from_ms) throw new ApiError('not_possible', 'It has not begun.');
  if (toMs - row.from_ms > KEPT_MAX.hours * HOUR_MS)
    throw new ApiError('not_possible', `It ran for over ${KEPT_MAX.hours} hours: set its end first.`);
  await pieces.dropAbandoned();
  const keptId = randomUUID();
  const writer = pieces.writer(keptId);
  try {
    const kept = await keepAll({ ...options, row, toMs, nowMs, writer, maxRequests, incomplete, load, signal });
    signal.throwIfAborted();
    return await incidents.closed(caller, id, revision, { id: keptId, toMs, positions: kept, bytes: writer.bytes });
  } catch (error) {
    // A run that is killed here leaves its pieces, which a later one drops.
    await pieces.drop(keptId).catch(() => undefined);
    throw error;
  }
}

interface Keeping extends KeepOptions, Omit<ClosingTerms, 'revision'> {
  readonly row: IncidentRow;
  readonly toMs: number;
  readonly nowMs: number;
  readonly writer: PieceWriter;
}

async function keepAll(keeping: Keeping): Promise<number> {
  const { row, toMs, nowMs, writer, database, everyone, incidents, incomplete, audit } = keeping;
  const question = { ...questionOf(row), toMs };
  const { positions, before, during, after } = await keepPositions(keeping, question);
  const reading = sumOfReadings(question, during);
  requireRead(reading, incomplete);
  const answer = answerOfReading(reading, upstreamInstant(nowMs));
  await writer.write('tracks.csv', tracksCsv(answer));
  await writer.write(
    'watched.csv',
    await watchedCsv(keeping, question, sumOfReadings(question, [...before, ...during, ...after])),
  );
  await writer.write('answer.json', json(answer));
  const { added, tracks } = await incidents.pins(row.id);
  const alarms = await incidentAlarms(
    database,
    everyone,
    question,
    added.map(({ alarm }) => alarm),
  );
  await writer.write('alarms.json', json({ alarms, added, pinned_tracks: tracks }));
  await writer.write('deliveries.json', json({ deliveries: await incidentDeliveries(database, alarms) }));
  await writer.write('zones.geojson', await zonesGeojson(database, row, question));
  const since = localInstant(Math.min(question.fromMs, row.opened_ms) - AROUND_MS);
  const ids = new Set(alarms.map((alarm) => alarm.id));
  const entries = await aboutIncident(audit, { since, until: undefined }, ids, row.id);
  await writer.write('audit.json', json({ entries }));
  await writer.end();
  return positions;
}

const POSITION_COLUMNS = ['layer', 'inside', ...EXPORTED_FIELDS] as const;

async function keepPositions(
  { nowMs, writer, load, signal, maxRequests }: Keeping,
  question: IncidentQuestion & { readonly toMs: number },
) {
  const { fromMs, toMs } = question;
  let [positions, requests] = [0, 0];
  await writer.write('positions.csv', csvRows([POSITION_COLUMNS]));
  const counted: LoadPast = async function* (query, stop) {
    for await (const event of load(query, stop)) {
      if (event.kind === 'line' && event.line.type === 'end')
        for (const layer of Object.values(event.line.layers)) requests += layer.requests;
      yield event;
    }
  };
  const read = async (from: number, to: number): Promise<readonly IncidentReading[]> => {
    const readings: IncidentReading[] = [];
    for (let hour = from; hour < to; ) {
      const next = Math.min(to, Math.floor(hour / HOUR_MS) * HOUR_MS + HOUR_MS);
      readings.push(
        await readIncident({
          question,
          fromMs: hour,
          toMs: next,
          maxRequests: Math.max(0, maxRequests - requests),
          load: counted,
          signal,
          onRecords: async (layer, records) => {
            positions += records.length;
            if (positions > KEPT_MAX.positions || writer.bytes > KEPT_MAX.bytes)
              throw new ApiError(
                'not_possible',
                `It has more than ${KEPT_MAX.positions.toLocaleString('en')} positions, or ${KEPT_MAX.bytes / 1e6} MB: choose a smaller area, or a shorter time.`,
              );
            const rows = records.map((record) => [
              layer,
              record.isInside,
              ...EXPORTED_FIELDS.map((name) => fieldOf(record, name)),
            ]);
            if (rows.length > 0) await writer.write('positions.csv', csvRows(rows));
          },
        }),
      );
      hour = next;
    }
    return readings;
  };
  const before = await read(fromMs - AROUND_MS, fromMs);
  const during = await read(fromMs, toMs);
  const after = await read(toMs, Math.min(toMs + AROUND_MS, nowMs));
  return { positions, before, during, after };
}

/** @throws ApiError for a past that another try could read */
function requireRead({ layers }: IncidentReading, incomplete: boolean): void {
  if (incomplete) return;
  const reasons = new Set([...layers.values()].flatMap(({ notWatched }) => notWatched.map(({ reason }) => reason)));
  const open = [...reasons].filter((reason) => !isReception(reason) && reason !== 'outside_lookback');
  if (open.length > 0)
    throw new ApiError(
      'past_incomplete',
      `Not all of the past could be read: ${open.map((reason) => PAST_REASONS[reason as PastReason].past).join('; ')}.`,
    );
}

function tracksCsv({ layers }: IncidentAnswer): string {
  const columns = [
    'track',
    'first_at',
    'last_at',
    'lowest_m',
    'lowest_field',
    'nearest_m',
    'positions',
    'simulated',
    'test',
  ] as const;
  return csvRows([
    ['layer', ...columns],
    ...Object.entries(layers).flatMap(([layer, { tracks }]) =>
      tracks.map((track) => [layer, ...columns.map((name) => track[name])]),
    ),
  ]);
}

/** `positions`: whether positions could be received and were read. `alarms`: whether the zone was watched. */
async function watchedCsv(
  { watched, nowMs }: Keeping,
  question: IncidentQuestion & { readonly toMs: number },
  reading: IncidentReading,
): Promise<string> {
  const fromMs = question.fromMs - AROUND_MS;
  const toMs = Math.min(question.toMs + AROUND_MS, nowMs);
  const rows: (string | null)[][] = [['what', 'layer', 'from', 'to', 'state', 'reason']];
  for (const [layer, { notWatched }] of reading.layers) {
    let watchedFromMs = fromMs;
    for (const stretch of [...notWatched].sort((one, next) => one.fromMs - next.fromMs)) {
      if (stretch.fromMs > watchedFromMs)
        rows.push(['positions', layer, text(watchedFromMs), text(stretch.fromMs), 'watched', null]);
      const state = stretch.reason === 'receivers_partly' ? 'partly' : 'not_watched';
      rows.push(['positions', layer, text(stretch.fromMs), text(stretch.toMs), state, stretch.reason]);
      watchedFromMs = Math.max(watchedFromMs, stretch.toMs);
    }
    if (watchedFromMs < toMs) rows.push(['positions', layer, text(watchedFromMs), text(toMs), 'watched', null]);
  }
  if (question.zoneId !== undefined) {
    const { layers } = await watched.between(question.zoneId, upstreamInstant(fromMs), upstreamInstant(toMs));
    for (const { layer, from, to, state, reason } of layers) rows.push(['alarms', layer, from, to, state, reason]);
  }
  return csvRows(rows);
}

/** The area of the incident, and each revision of its zone up to its end. */
async function zonesGeojson(
  { query }: Database,
  row: IncidentRow,
  { shape, zoneId, toMs }: IncidentQuestion,
): Promise<string> {
  const revisions =
    zoneId === undefined
      ? []
      : await revisionRows(query)
          .where('zone_revision.zone_id', '=', zoneId)
          .where('zone_revision.at_ms', '<=', toMs ?? Number.MAX_SAFE_INTEGER)
          .orderBy('zone_revision.revision')
          .execute();
  const features = [
    {
      type: 'Feature',
      geometry: drawnGeometry(shape),
      properties: { what: 'area of the incident', shape, zone: row.zone_name },
    },
    ...revisions.map((each) => {
      const content = contentOf(each);
      return {
        type: 'Feature',
        geometry: drawnGeometry(content.shape),
        properties: {
          what: 'revision of the zone',
          name: each.name,
          revision: each.revision,
          at: text(each.at_ms),
          by: each.author_name,
          removed: each.removed === 1,
          ...content,
        },
      };
    }),
  ];
  return json({ type: 'FeatureCollection', features });
}

/** Actions of people on alarms and on the incident itself, in order of time. */
export async function aboutIncident(
  audit: Pick<AuditEvents, 'read'>,
  times: Pick<AuditFilter, 'since' | 'until'>,
  alarms: ReadonlySet<string>,
  incident: string,
): Promise<readonly AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for (let before: string | undefined; ; ) {
    const page = await audit.read({ ...times, before, limit: AUDIT_PAGE });
    entries.push(...page.filter(({ event }) => isAbout(event, alarms, incident)));
    before = page.at(-1)?.id;
    if (page.length < AUDIT_PAGE || before === undefined) return entries.reverse();
  }
}

const AUDIT_PAGE = 500;

function isAbout(event: AuditEntry['event'], alarms: ReadonlySet<string>, incident: string): boolean {
  if ('alarm' in event && alarms.has(event.alarm)) return true;
  return 'incident' in event && event.incident === incident;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}

function text(ms: number): string {
  return formatInstant(upstreamInstant(ms));
}
