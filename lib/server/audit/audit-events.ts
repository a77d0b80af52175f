import 'server-only';
import { randomBytes } from 'node:crypto';
import { type Expression, type Selectable, sql } from 'kysely';
import {
  AUDIT_KINDS,
  type AuditEntry,
  type AuditKind,
  auditEventSchema,
  KINDS_ABOUT_PEOPLE,
} from '#lib/api/people/audit-event.ts';
import { epochMs, formatLocalInstant, type LocalInstant, localInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import { Yielding } from '../work/yielding.ts';
import type { AuditRow } from './audit-row.ts';

type StoredRow = Selectable<Tables['audit_event']>;

export interface OverdueEntries {
  readonly since: LocalInstant;
  readonly before: LocalInstant;
}

export interface AuditFilter {
  /** Actions by or on this operator, and counted events that may include either. */
  readonly operator?: string | undefined;
  /** Includes counted events that may be of this kind. */
  readonly kind?: AuditKind | undefined;
  readonly since?: LocalInstant | undefined;
  readonly until?: LocalInstant | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

const ROWS_A_STATEMENT = 1000;
/** So many rows take about 10 ms of SQLite, which blocks. */
const SEARCHED_ROWS = 2000;

/** Every method rejects with a `DatabaseFailure` where the database is at fault. */
export class AuditEvents {
  readonly #database: Database;
  /** Makes ids unique among processes, and ordered within a millisecond of one process. */
  readonly #writer = randomBytes(6).toString('hex');
  #numbered = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  newId(at: LocalInstant): string {
    return `${digits(epochMs(at), 15)}-${digits(++this.#numbered, 9)}-${this.#writer}`;
  }

  /** Writes all rows or none; a known row gets its new count and time. */
  async write(rows: readonly AuditRow[]): Promise<void> {
    if (rows.length === 0) return;
    const stored = rows.map(columnsOf);
    await this.#database.change(async (query) => {
      for (let at = 0; at < stored.length; at += ROWS_A_STATEMENT)
        await query
          .insertInto('audit_event')
          .values(stored.slice(at, at + ROWS_A_STATEMENT))
          .onConflict((conflict) =>
            conflict.column('id').doUpdateSet((each) => ({
              times: each.ref('excluded.times'),
              last_ms: each.ref('excluded.last_ms'),
            })),
          )
          .execute();
    });
  }

  /** Reads events, the newest first. It searches in pieces, between which others have their turn. */
  async read({ before, ...filter }: AuditFilter, signal?: AbortSignal): Promise<readonly AuditEntry[]> {
    const yielding = new Yielding(signal);
    const found: StoredRow[] = [];
    let from = before;
    for (;;) {
      const end = this.#endOfPiece(from);
      const left = filter.limit - found.length;
      // Both are awaited together: a locked file of SQLite lets writers wait between two statements.
      const [to, piece] = await Promise.all([
        end.executeTakeFirst(),
        this.#piece({ ...filter, before: from, limit: left }, sql<string>`(${end})`).execute(),
      ]);
      found.push(...piece);
      if (found.length === filter.limit || to === undefined) return found.map(toEntry);
      from = to.id;
      await yielding.next();
    }
  }

  /** The last row of the next piece; none where the rest is less. */
  #endOfPiece(before: string | undefined) {
    return this.#database.query
      .selectFrom('audit_event')
      .select('id')
      .$if(before !== undefined, (of) => of.where('id', '<', before as string))
      .orderBy('id', 'desc')
      .limit(1)
      .offset(SEARCHED_ROWS - 1);
  }

  /** @param end its last row */
  #piece({ operator, kind, since, until, before, limit }: AuditFilter, end: Expression<string>) {
    let query = this.#database.query
      .selectFrom('audit_event')
      .selectAll()
      // A newer server may record more kinds.
      .where('kind', 'in', AUDIT_KINDS);
    if (operator !== undefined)
      query = query.where((where) =>
        where.or([
          where('operator', '=', operator),
          where('person', '=', operator),
          where('kind', '=', 'lost'),
          where.and([where('kind', '=', 'more'), where('of_kind', 'in', KINDS_ABOUT_PEOPLE)]),
        ]),
      );
    if (kind !== undefined)
      query = query.where((where) =>
        where.or([
          where('kind', 'in', [kind, 'lost']),
          where.and([where('kind', '=', 'more'), where('of_kind', '=', kind)]),
        ]),
      );
    if (since !== undefined) query = query.where('last_ms', '>=', epochMs(since));
    if (until !== undefined) query = query.where('at_ms', '<', epochMs(until));
    if (before !== undefined) query = query.where('id', '<', before);
    query = query.where('id', '>=', sql<string>`coalesce(${end}, '')`);
    return query.orderBy('id', 'desc').limit(limit);
  }

  /**
   * Deletes entries older than `days`, by the newest entry or now, the earlier of both, and beyond `keptOfEach` of an
   * operator and kind. At most one day at once, since the clock may be wrong.
   */
  async prune(days: number, now: LocalInstant, keptOfEach: number): Promise<OverdueEntries | undefined> {
    const { query } = this.#database;
    const { oldest, newest } = await query
      .selectFrom('audit_event')
      .select(({ fn }) => [
        fn.min<number | null>('last_ms').as('oldest'),
        fn.max<number | null>('last_ms').as('newest'),
      ])
      .executeTakeFirstOrThrow();
    const beforeMs = Math.min(epochMs(now), newest ?? 0) - days * DAY_MS;
    const isOverdue = oldest !== null && beforeMs - oldest > DAY_MS;
    if (!isOverdue) await this.deleteBefore(localInstant(beforeMs));
    await query
      .deleteFrom('audit_event')
      .where('id', 'in', (each) =>
        each
          .selectFrom(
            each
              .selectFrom('audit_event')
              .select(({ fn }) => [
                'id',
                fn
                  .agg<number>('row_number')
                  .over((over) => over.partitionBy(['operator', 'kind']).orderBy('id', 'desc'))
                  .as('age'),
              ])
              .as('aged'),
          )
          .select('aged.id')
          .where('aged.age', '>', keptOfEach),
      )
      .execute();
    return isOverdue ? { since: localInstant(oldest), before: localInstant(beforeMs) } : undefined;
  }

  async deleteBefore(before: LocalInstant): Promise<number> {
    const { numDeletedRows } = await this.#database.query
      .deleteFrom('audit_event')
      .where('last_ms', '<', epochMs(before))
      .executeTakeFirst();
    return Number(numDeletedRows);
  }
}

function digits(number: number, length: number): string {
  return String(Math.max(0, Math.floor(number))).padStart(length, '0');
}

function columnsOf({ id, at, last, times, operator, address, requestId, event }: AuditRow): StoredRow {
  return {
    id,
    at_ms: Math.floor(epochMs(at)),
    last_ms: Math.floor(epochMs(last)),
    times,
    kind: event.kind,
    of_kind: event.kind === 'more' ? event.of : null,
    operator: operator?.id ?? null,
    name: operator?.name ?? null,
    person: 'person' in event ? event.person : null,
    address,
    request_id: requestId,
    details: JSON.stringify(event),
  };
}

function toEntry(row: StoredRow): AuditEntry {
  return {
    id: row.id,
    at: formatLocalInstant(localInstant(row.at_ms)),
    last: formatLocalInstant(localInstant(row.last_ms)),
    times: row.times,
    operator: row.operator === null ? null : { id: row.operator, name: row.name ?? row.operator },
    address: row.address,
    request_id: row.request_id,
    event: auditEventSchema.parse(JSON.parse(row.details)),
  };
}
