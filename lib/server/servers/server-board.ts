import 'server-only';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { DATABASE_NOW_MS } from '../database/database-clock.ts';
import { CHANNEL } from '../database/notices.ts';
import { PRESENT_MS } from '../database/servers-present.ts';
import { VIEWER_KEPT_MS } from '../live/plan/demand.ts';

export const PLAN_TOPIC = 'plan';
/** The text has the fence and the plan's number. */
export const PLAN_FORM = /^\d{1,16} \d{1,16}$/;
export const DEMAND_TOPIC = 'demand';
/** The server’s id. */
export const DEMAND_FORM = /^[\w-]{1,64}$/;

export interface PlanRow {
  readonly fence: number;
  readonly number: number;
  /** `null` where it is the known one. */
  readonly body: string | null;
  /** Milliseconds since the writer's last write or sign of life. */
  readonly ageMs: number;
}

export interface ServerRow {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly viewers: number;
  readonly isPresent: boolean;
}

/** Every method rejects with a DatabaseFailure. */
export class ServerBoard {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** @param body `undefined`: unchanged. @returns false if the fence has passed, or the row is gone */
  async writePlan(fence: number, number: number, body: string | undefined): Promise<boolean> {
    const isWriter = sql`exists (select 1 from writer where fence = ${fence})`;
    const written =
      body === undefined
        ? await sql`update live_plan set written_ms = ${DATABASE_NOW_MS} where fence = ${fence} and ${isWriter}
            returning pg_notify(${CHANNEL}, ${`${PLAN_TOPIC} ${fence} ${number}`})`.execute(this.#database.query)
        : await sql`insert into live_plan (id, fence, number, written_ms, body)
            select 1, ${fence}::bigint, ${number}::bigint, ${DATABASE_NOW_MS}, ${body}::text where ${isWriter}
            on conflict (id) do update set
              fence = excluded.fence, number = excluded.number, written_ms = excluded.written_ms, body = excluded.body
            returning pg_notify(${CHANNEL}, ${`${PLAN_TOPIC} ${fence} ${number}`})`.execute(this.#database.query);
    return written.rows.length > 0;
  }

  async readPlan(known: Pick<PlanRow, 'fence' | 'number'>): Promise<PlanRow | undefined> {
    const { rows } = await sql<PlanRow>`
      select fence, number, case when fence <> ${known.fence} or number <> ${known.number} then body end as body,
        ${DATABASE_NOW_MS} - written_ms as "ageMs"
      from live_plan
    `.execute(this.#database.query);
    return rows[0];
  }

  /** @param demand `undefined`: unchanged. @returns false if the row is gone */
  async writeServer(
    id: string,
    name: string,
    demand: { readonly version: number; readonly viewers: number; readonly cells: string } | undefined,
  ): Promise<boolean> {
    if (!demand) {
      const { numAffectedRows } = await sql`
        update server set seen_ms = ${DATABASE_NOW_MS}, name = ${name} where id = ${id}
      `.execute(this.#database.query);
      return numAffectedRows === 1n;
    }
    const { version, viewers, cells } = demand;
    await sql`
      insert into server (id, name, seen_ms, version, viewers, cells)
      values (${id}, ${name}, ${DATABASE_NOW_MS}, ${version}, ${viewers}, ${cells})
      on conflict (id) do update set
        name = excluded.name, seen_ms = excluded.seen_ms, version = excluded.version, viewers = excluded.viewers, cells = excluded.cells
      returning pg_notify(${CHANNEL}, ${`${DEMAND_TOPIC} ${id}`})
    `.execute(this.#database.query);
    return true;
  }

  /** Reads the servers, and deletes the rows of those that left long ago. */
  async readServers(): Promise<readonly ServerRow[]> {
    const { rows } = await sql<ServerRow>`
      with gone as (delete from server where seen_ms < ${DATABASE_NOW_MS} - ${VIEWER_KEPT_MS})
      select id, name, version, viewers, name <> '' and seen_ms >= ${DATABASE_NOW_MS} - ${PRESENT_MS} as "isPresent"
      from server where seen_ms >= ${DATABASE_NOW_MS} - ${VIEWER_KEPT_MS} order by name, id
    `.execute(this.#database.query);
    return rows;
  }

  async readCells(
    ids: readonly string[],
  ): Promise<
    readonly { readonly id: string; readonly version: number; readonly viewers: number; readonly cells: string }[]
  > {
    return await this.#database.query
      .selectFrom('server')
      .select(['id', 'version', 'viewers', 'cells'])
      .where('id', 'in', ids)
      .execute();
  }
}
