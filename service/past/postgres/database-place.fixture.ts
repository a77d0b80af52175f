import type { Layer } from '#lib/contract/operation.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Postgres } from '../../postgres/postgres.ts';
import type { OpenOptions, PastPlace } from '../past-suite.fixture.ts';
import { dayTable } from './day-table.ts';
import { PostgresPast } from './postgres-past.ts';

/** The past of a database, which is emptied first. */
export class DatabasePlace implements PastPlace {
  readonly postgres: Postgres;

  private constructor(postgres: Postgres) {
    this.postgres = postgres;
  }

  static async emptied(postgres: Postgres): Promise<DatabasePlace> {
    const { query } = postgres;
    const tables = await query<{ name: string }>(
      "select relname as name from pg_class where relnamespace = 'lookout'::regnamespace and relname ~ '^past_day_\\d+$'",
    );
    for (const { name } of tables) await query(`drop table lookout.${name}`);
    await query('truncate lookout.past_frame, lookout.past_segment restart identity');
    await query('update lookout.past set term = 0, heartbeat_at = null, kept_since = null');
    return new DatabasePlace(postgres);
  }

  async open(options: OpenOptions): Promise<PostgresPast> {
    const past = await PostgresPast.open({ postgres: this.postgres, ...options });
    if (!(await past.record(() => undefined))) throw new Error('another one records');
    return past;
  }

  async segment(layer: Layer, start: UpstreamInstant): Promise<Buffer> {
    const [row] = await this.postgres.query<{ bytes: Buffer }>(
      `select bytes from ${dayTable(start)} where layer = $1 and start = $2`,
      [layer, epochMs(start)],
    );
    return row!.bytes;
  }

  async spoilSegment(layer: Layer, start: UpstreamInstant, bytes: Uint8Array | undefined): Promise<void> {
    const table = dayTable(start);
    await this.postgres.query(`delete from ${table} where layer = $1 and start = $2`, [layer, epochMs(start)]);
    if (bytes === undefined) return;
    const values = [layer, epochMs(start), bytes];
    await this.postgres.query(`insert into ${table} (layer, start, bytes) values ($1, $2, $3)`, values);
  }

  async spoilWrite(n: number): Promise<void> {
    await this.postgres.query(
      `update lookout.past_frame set bytes = set_byte(bytes, 20, get_byte(bytes, 20) # 16)
        where id = (select id from lookout.past_frame order by id offset $1 limit 1)`,
      [n],
    );
  }

  remove(): Promise<void> {
    return Promise.resolve();
  }
}
