import 'server-only';
import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import { ApiError } from '#lib/api/error-code.ts';
import type { NewIncidentNote } from '#lib/api/watching/incident-actions.ts';
import {
  type Incident,
  type IncidentChange,
  type IncidentEntry,
  KEPT_MAX,
  type NewIncident,
  type OneIncident,
} from '#lib/api/watching/incidents.ts';
import type { SightingBody, SightingCheck } from '#lib/api/watching/sightings.ts';
import { HISTORY_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { epochMs, formatInstant, instantOf, isoTime, isoTimeOrNull, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { shapeProblem } from '#lib/zones/shape-problem.ts';
import type { ZoneShape } from '#lib/zones/zone.ts';
import type { Database } from '../database/database.ts';
import { chargeStored } from '../database/stored-bytes.ts';
import type { Query, Tables } from '../database/tables.ts';
import { ownerKey } from '../views/owner.ts';
import { contentOf, isSeenBy, revisionRows, type ZoneCaller } from '../zones/zone-rows.ts';
import { type IncidentRow, keptBox, toEntry, toIncident } from './incident-rows.ts';

/** A list has so many of the latest. */
const LISTED_MAX = 500;
const NOTES_MAX = 2000;
const PINS_MAX = 1000;
/** By how much a browser's clock may be early. */
const EARLY_MS = MINUTE_MS;
/** History goes back no further. */
const OLDEST_MS = 31 * DAY_MS;

export interface IncidentsOptions {
  readonly database: Database;
  readonly now: () => UpstreamInstant;
  /** A caller who sees shared zones only: an incident is the same for all of its readers. */
  readonly everyone: ZoneCaller;
}

/**
 * Incidents with their notes, and the alarms and tracks that people added. Everyone sees all of them. A change is one
 * transaction, and none changes a sealed one. Methods reject with a `DatabaseFailure` where the database fails.
 */
export class Incidents {
  readonly #options: IncidentsOptions;

  constructor(options: IncidentsOptions) {
    this.#options = options;
  }

  /** The latest first. */
  async list(): Promise<readonly Incident[]> {
    const { query } = this.#options.database;
    const rows = await query
      .selectFrom('incident')
      .selectAll()
      .where('state', '<>', 'deleted')
      .orderBy('opened_ms', 'desc')
      .orderBy('number', 'desc')
      .limit(LISTED_MAX)
      .execute();
    const counts = await noteCounts(query);
    return rows.map((row) => toIncident(row, counts.get(row.id) ?? 0));
  }

  /** @throws ApiError if there is none */
  async row(id: string): Promise<IncidentRow> {
    return rowOf(this.#options.database.query, id);
  }

  /** @throws ApiError if there is none */
  async one(id: string): Promise<Incident> {
    return withNotes(this.#options.database.query, await this.row(id));
  }

  async notes(id: string): Promise<readonly IncidentEntry[]> {
    const rows = await this.#options.database.query
      .selectFrom('incident_note')
      .selectAll()
      .where('incident_id', '=', id)
      .orderBy('number')
      .execute();
    return rows.map(toEntry);
  }

  async pins(id: string): Promise<Pick<OneIncident, 'added' | 'tracks'>> {
    const rows = await this.#options.database.query
      .selectFrom('incident_pin')
      .selectAll()
      .where('incident_id', '=', id)
      .orderBy('pinned_ms')
      .execute();
    const signed = ({ remark, pinned_by, pinned_ms }: (typeof rows)[number]) => ({
      remark,
      by: pinned_by,
      at: isoTime(pinned_ms),
    });
    return {
      added: rows.filter(({ kind }) => kind === 'alarm').map((row) => ({ alarm: row.pinned, ...signed(row) })),
      tracks: rows.filter(({ kind }) => kind === 'track').map((row) => ({ track: row.pinned, ...signed(row) })),
    };
  }

  /** @throws ApiError for an area or window that cannot be kept, or a zone that not everyone sees */
  async open(caller: ZoneCaller, { title, from, to, area, layers }: NewIncident): Promise<Incident> {
    return this.#change(caller, [title, JSON.stringify(area)], async (query, nowMs) => {
      const window = windowOf(from, to, nowMs);
      const { year, number } = await nextNumber(query, nowMs);
      const row: IncidentRow = {
        id: randomUUID(),
        year,
        number,
        revision: 1,
        state: 'open',
        title,
        ...window,
        ...(await this.#areaColumns(query, area)),
        layers: layers.join(','),
        opened_by: caller.actor,
        opened_ms: nowMs,
        ...NOT_CLOSED,
        ...NOT_SEALED,
      };
      await query.insertInto('incident').values(row).execute();
      return toIncident(row, 0);
    });
  }

  /** @throws ApiError as `open`, if another change came first, or where it is no longer open */
  async change(
    caller: ZoneCaller,
    id: string,
    { revision, title, from, to, area, layers }: IncidentChange,
  ): Promise<Incident> {
    return this.#change(caller, [title ?? '', JSON.stringify(area ?? '')], async (query, nowMs) => {
      const before = await rowFor(query, 'change', id, revision);
      const isAsked = [from, to, area, layers].some((each) => each !== undefined);
      if (isAsked && before.state === 'closed')
        throw new ApiError('not_possible', 'Its area and times are closed: only the title can change.');
      const fromText = from ?? isoTime(before.from_ms);
      const toText = to === undefined ? isoTimeOrNull(before.to_ms) : to;
      const row: IncidentRow = {
        ...before,
        revision: revision + 1,
        title: title ?? before.title,
        ...(isAsked && windowOf(fromText, toText, nowMs)),
        ...(area && (await this.#areaColumns(query, area))),
        layers: layers?.join(',') ?? before.layers,
      };
      await writeRow(query, row);
      return withNotes(query, row);
    });
  }

  /** @throws ApiError for a sealed incident, a time in the future, an unknown correction, or one note too many */
  async addNote(caller: ZoneCaller, id: string, note: NewIncidentNote): Promise<IncidentEntry> {
    return this.#addEntry(caller, id, { ...note, atMs: msOf(note.at), sighting: null });
  }

  /** @throws ApiError as `addNote` */
  async addSighting(
    caller: ZoneCaller,
    id: string,
    sighting: SightingBody,
    check: SightingCheck,
  ): Promise<IncidentEntry> {
    return this.#addEntry(caller, id, {
      kind: 'sighting',
      text: sighting.text,
      atMs: epochMs(sighting.at),
      place: [...sighting.place],
      corrects: null,
      sighting: JSON.stringify({ sighting: { ...sighting, at: formatInstant(sighting.at) }, check }),
    });
  }

  /** An alarm or track that is pinned already gets the new remark. @throws ApiError for a sealed incident, or one pin too many */
  async pin(
    caller: ZoneCaller,
    id: string,
    kind: 'alarm' | 'track',
    pinned: readonly string[],
    remark: string,
  ): Promise<void> {
    await this.#change(caller, [remark, ...pinned], async (query, nowMs) => {
      await rowFor(query, 'pin', id);
      const rows = [...new Set(pinned)].map((each) => ({
        incident_id: id,
        kind,
        pinned: each,
        remark,
        pinned_by: caller.actor,
        pinned_ms: nowMs,
      }));
      await query
        .insertInto('incident_pin')
        .values(rows)
        .onConflict((conflict) =>
          conflict
            .columns(['incident_id', 'kind', 'pinned'])
            .doUpdateSet({ remark, pinned_by: caller.actor, pinned_ms: nowMs }),
        )
        .execute();
      const { count } = await query
        .selectFrom('incident_pin')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('incident_id', '=', id)
        .executeTakeFirstOrThrow();
      if (Number(count) > PINS_MAX)
        throw new ApiError('not_possible', `An incident has at most ${PINS_MAX} alarms and tracks added by hand.`);
    });
  }

  /** @throws ApiError where its state refuses the step, or it has changed since the caller read it */
  rowFor(step: Step, id: string, revision?: number): Promise<IncidentRow> {
    return rowFor(this.#options.database.query, step, id, revision);
  }

  /**
   * The last part of closing and sealing: what was stored before counts from then on.
   * @param notes how many were stored. @throws ApiError as `rowFor`, or where another note was written since
   */
  end(
    step: Step,
    caller: ZoneCaller,
    id: string,
    revision: number,
    columns: Partial<IncidentRow>,
    notes?: number,
  ): Promise<Incident> {
    return this.#change(caller, [], async (query) => {
      const before = await rowFor(query, step, id, revision);
      const row = { ...before, ...columns, revision: revision + 1 };
      await writeRow(query, row);
      const incident = await withNotes(query, row);
      if (notes !== undefined && incident.notes !== notes)
        throw new ApiError('revision_conflict', 'A note was written meanwhile: try again, so that the file has it.');
      return incident;
    });
  }

  /** Deletes everything of it but its number and its pieces. @returns what it was. @throws ApiError if there is none */
  async remove(id: string): Promise<IncidentRow> {
    return this.#options.database.change(async (query) => {
      const row = await rowOf(query, id);
      await query.deleteFrom('incident_note').where('incident_id', '=', id).execute();
      await query.deleteFrom('incident_pin').where('incident_id', '=', id).execute();
      await writeRow(query, {
        ...row,
        ...NOT_CLOSED,
        ...NOT_SEALED,
        revision: row.revision + 1,
        state: 'deleted',
        title: '',
        zone_name: null,
        area: '{}',
        opened_by: '',
      });
      return row;
    });
  }

  async #addEntry(
    caller: ZoneCaller,
    id: string,
    {
      kind,
      text: words,
      atMs,
      place,
      corrects,
      sighting,
    }: Pick<IncidentEntry, 'kind' | 'text' | 'place' | 'corrects'> & {
      readonly atMs: number;
      readonly sighting: string | null;
    },
  ): Promise<IncidentEntry> {
    return this.#change(caller, [words, sighting ?? ''], async (query, nowMs) => {
      if (atMs > nowMs + EARLY_MS) throw new ApiError('bad_body', 'The time of the note is in the future.');
      await rowFor(query, 'change', id);
      const { last } = await query
        .selectFrom('incident_note')
        .select(({ fn }) => fn.max('number').as('last'))
        .where('incident_id', '=', id)
        .executeTakeFirstOrThrow();
      const number = Number(last ?? 0) + 1;
      if (number > NOTES_MAX) throw new ApiError('not_possible', `An incident has at most ${NOTES_MAX} notes.`);
      if (corrects !== null) {
        const named = query.selectFrom('incident_note').select('id').where('id', '=', corrects);
        if (!(await named.where('incident_id', '=', id).executeTakeFirst()))
          throw new ApiError('bad_body', 'corrects names no note of this incident.');
      }
      const row = {
        id: randomUUID(),
        incident_id: id,
        number,
        kind,
        text: words,
        at_ms: Math.round(atMs),
        lon_lat: place && JSON.stringify(place),
        corrects,
        sighting,
        written_by: caller.actor,
        written_ms: nowMs,
      };
      await query.insertInto('incident_note').values(row).execute();
      return toEntry(row);
    });
  }

  /** A zone as it is now. @throws ApiError for one that not everyone sees, or a shape that is none */
  async #areaColumns(query: Query, area: NewIncident['area']) {
    if (!('zone' in area)) {
      const problem = shapeProblem(area);
      if (problem) throw new ApiError('bad_body', `area ${problem}`);
      requireSize(area);
      const none = { zone_id: null, zone_revision: null, zone_name: null };
      return { ...none, area: JSON.stringify({ shape: area, landmark: null }) };
    }
    const row = await revisionRows(query)
      .where('zone_revision.zone_id', '=', area.zone)
      .where('zone_revision.removed', '=', 0)
      .where(isSeenBy(this.#options.everyone, 'zone_revision.zone_id'))
      .executeTakeFirst();
    if (!row)
      throw new ApiError(
        'not_found',
        'There is no such zone that everyone sees. Share the zone first, or draw the area: everyone sees an incident.',
      );
    const { shape, landmark } = contentOf(row);
    requireSize(shape);
    return {
      zone_id: row.zone_id,
      zone_revision: row.revision,
      zone_name: row.name,
      area: JSON.stringify({ shape, landmark }),
    };
  }

  #change<Result>(
    caller: ZoneCaller,
    texts: readonly string[],
    run: (query: Transaction<Tables>, nowMs: number) => Promise<Result>,
  ): Promise<Result> {
    const nowMs = Math.floor(epochMs(this.#options.now()));
    return this.#options.database.change(async (query) => {
      const result = await run(query, nowMs);
      await chargeStored(query, ownerKey(caller.owner), 'incidents', texts, nowMs);
      return result;
    });
  }
}

const NOT_CLOSED = { closed_by: null, closed_ms: null, kept_id: null, kept_positions: null, kept_bytes: null } as const;
const NOT_SEALED = { sealed_by: null, sealed_ms: null, file_id: null, file_sha256: null, file_bytes: null } as const;

/** The area's box with what is around it fits one box of the past. */
function requireSize(shape: ZoneShape): void {
  const box = keptBox(shape);
  if (latSpanDeg(box) > HISTORY_MAX_SPAN_DEG || lonSpanDeg(box) > HISTORY_MAX_SPAN_DEG)
    throw new ApiError('bad_body', `area is over ${HISTORY_MAX_SPAN_DEG}° wide or high: choose a smaller one.`);
}

function windowOf(from: string, to: string | null, nowMs: number) {
  const [from_ms, to_ms] = [msOf(from), to === null ? null : msOf(to)];
  if (from_ms > nowMs) throw new ApiError('bad_body', 'The start (from) is in the future.');
  if (from_ms < nowMs - OLDEST_MS)
    throw new ApiError('bad_body', 'The start (from) is over 31 days ago: no history goes back so far.');
  if (to_ms !== null && to_ms <= from_ms)
    throw new ApiError('bad_body', 'The end (to) must be after the start (from).');
  if (to_ms !== null && to_ms - from_ms > KEPT_MAX.hours * HOUR_MS)
    throw new ApiError('bad_body', `An incident is at most ${KEPT_MAX.hours} hours long.`);
  return { from_ms, to_ms };
}

async function nextNumber(query: Query, nowMs: number): Promise<{ readonly year: number; readonly number: number }> {
  const year = new Date(nowMs).getUTCFullYear();
  const { last } = await query
    .selectFrom('incident')
    .select(({ fn }) => fn.max('number').as('last'))
    .where('year', '=', year)
    .executeTakeFirstOrThrow();
  return { year, number: Number(last ?? 0) + 1 };
}

async function noteCounts(query: Query, id?: string): Promise<ReadonlyMap<string, number>> {
  const rows = await query
    .selectFrom('incident_note')
    .select(({ fn }) => ['incident_id', fn.countAll().as('count')] as const)
    .$if(id !== undefined, (its) => its.where('incident_id', '=', id as string))
    .groupBy('incident_id')
    .execute();
  return new Map(rows.map(({ incident_id, count }) => [incident_id, Number(count)]));
}

async function withNotes(query: Query, row: IncidentRow): Promise<Incident> {
  return toIncident(row, (await noteCounts(query, row.id)).get(row.id) ?? 0);
}

async function rowOf(query: Query, id: string): Promise<IncidentRow> {
  const row = await query
    .selectFrom('incident')
    .selectAll()
    .where('id', '=', id)
    .where('state', '<>', 'deleted')
    .executeTakeFirst();
  if (!row) throw new ApiError('not_found', 'There is no such incident.');
  return row;
}

/** The steps of an incident, with the states that refuse them. */
const REFUSED = {
  change: { sealed: 'The incident is sealed: nothing of it changes any more.' },
  pin: {
    closed: 'It is closed with the alarms and tracks that it had: write a note.',
    sealed: 'It is sealed already.',
  },
  close: { closed: 'It is closed already.', sealed: 'It is sealed already.' },
  seal: { open: 'Close the incident first.', sealed: 'It is sealed already.' },
} as const satisfies Record<string, Partial<Record<IncidentRow['state'], string>>>;

type Step = keyof typeof REFUSED;

/** @param revision as the caller read it. @throws ApiError where its state refuses it, or it has changed since */
async function rowFor(query: Query, step: Step, id: string, revision?: number): Promise<IncidentRow> {
  const row = await rowOf(query, id);
  const refused: Partial<Record<IncidentRow['state'], string>> = REFUSED[step];
  const because = refused[row.state];
  if (because !== undefined) throw new ApiError('not_possible', because);
  if (revision !== undefined && row.revision !== revision)
    throw new ApiError('revision_conflict', 'Another change of this incident came first: read it again.');
  return row;
}

async function writeRow(query: Transaction<Tables>, { id, ...columns }: IncidentRow): Promise<void> {
  await query.updateTable('incident').set(columns).where('id', '=', id).execute();
}

function msOf(instant: string): number {
  return Math.round(epochMs(instantOf(instant)));
}
