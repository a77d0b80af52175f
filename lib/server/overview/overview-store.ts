import 'server-only';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import type { Layer } from '#lib/model/position.ts';
import type { UnitBox } from '#lib/overview/cells.ts';
import { HourMemory, readHour, type StoredHour } from '#lib/overview/hour-body.ts';
import type { HourToStore, OpenHour } from '#lib/overview/layer-tally.ts';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import { requireLease } from '../database/writer-lease.ts';

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** An open hour is written again soon; a closed one is kept for a month, and takes 0.2 s of another thread. */
const QUALITY = { open: 5, closed: 11 } as const;

/** A row without its body. */
export interface HourRow {
  readonly hourMs: number;
  readonly untilMs: number;
  readonly size: number;
  readonly extent: UnitBox | undefined;
  /** A closed hour never changes. */
  readonly isClosed: boolean;
}

/** The stored hours of the overview. Methods reject with `DatabaseFailure`. */
export class OverviewStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Closed hours stay as they are. @param fence of the writer's lease @throws LeaseLost */
  async write(hours: readonly HourToStore[], fence: number): Promise<void> {
    const rows = await Promise.all(hours.map(rowOf));
    await this.#database.change(async (query) => {
      await requireLease(query, this.#database.dialect, fence);
      for (const row of rows) {
        const { layer, hour_ms, ...content } = row;
        await query
          .insertInto('overview_hour')
          .values(row)
          .onConflict((conflict) =>
            conflict
              .columns(['layer', 'hour_ms'])
              .doUpdateSet(content)
              .where('overview_hour.open_references', 'is not', null),
          )
          .execute();
      }
    });
  }

  async prune(beforeMs: number, fence: number): Promise<void> {
    await this.#database.change(async (query) => {
      await requireLease(query, this.#database.dialect, fence);
      await query.deleteFrom('overview_hour').where('hour_ms', '<', beforeMs).execute();
    });
  }

  /** The open hours until then, in order. */
  async open(layer: Layer, untilMs: number): Promise<readonly OpenHour[]> {
    const rows = await this.#database.query
      .selectFrom('overview_hour')
      .select(['hour_ms', 'until_ms', 'body', 'open_references'])
      .where('layer', '=', layer)
      .where('open_references', 'is not', null)
      .where('hour_ms', '<=', untilMs)
      .orderBy('hour_ms')
      .execute();
    return Promise.all(
      rows.map(async ({ hour_ms, until_ms, body, open_references }) => ({
        hourMs: hour_ms,
        untilMs: until_ms,
        hour: readHour(await decompress(body)),
        references: open_references ?? new Uint8Array(),
      })),
    );
  }

  /** The latest closed hour until then. */
  async closedMs(layer: Layer, untilMs: number): Promise<number | undefined> {
    const row = await this.#database.query
      .selectFrom('overview_hour')
      .select(({ fn }) => fn.max('hour_ms').as('hour_ms'))
      .where('layer', '=', layer)
      .where('open_references', 'is', null)
      .where('hour_ms', '<=', untilMs)
      .executeTakeFirst();
    return row?.hour_ms ?? undefined;
  }

  /** The first stored hour of all layers, and until when they are counted. */
  async kept(): Promise<{ readonly sinceMs: number | undefined; readonly untilMs: number | undefined }> {
    const row = await this.#database.query
      .selectFrom('overview_hour')
      .select(({ fn }) => [fn.min('hour_ms').as('since'), fn.max('until_ms').as('until')])
      .executeTakeFirst();
    return { sinceMs: row?.since ?? undefined, untilMs: row?.until ?? undefined };
  }

  /** Rows from `startMs` to before `endMs`, in order. */
  async rows(layer: Layer, startMs: number, endMs: number): Promise<readonly HourRow[]> {
    const rows = await this.#database.query
      .selectFrom('overview_hour')
      .select(['hour_ms', 'until_ms', 'size', 'west', 'south', 'east', 'north'])
      .select((row) => row('open_references', 'is', null).as('is_closed'))
      .where('layer', '=', layer)
      .where('hour_ms', '>=', startMs)
      .where('hour_ms', '<', endMs)
      .orderBy('hour_ms')
      .execute();
    return rows.map(({ hour_ms, until_ms, size, west, south, east, north, is_closed }) => ({
      hourMs: hour_ms,
      untilMs: until_ms,
      size,
      isClosed: Boolean(is_closed),
      extent:
        west === null || south === null || east === null || north === null ? undefined : { west, south, east, north },
    }));
  }

  /** Reads hours one after the other. An hour is valid until the next one. */
  async *hours(layer: Layer, hoursMs: readonly number[]): AsyncGenerator<readonly [number, StoredHour]> {
    const memory = new HourMemory();
    for (let at = 0; at < hoursMs.length; at += HOURS_AT_ONCE) {
      const rows = await this.#database.query
        .selectFrom('overview_hour')
        .select(['hour_ms', 'body'])
        .where('layer', '=', layer)
        .where('hour_ms', 'in', hoursMs.slice(at, at + HOURS_AT_ONCE))
        .execute();
      const bodies = rows.map(({ hour_ms, body }) => [hour_ms, decompress(body)] as const);
      // A failure of a body that is no longer awaited must not end the process.
      for (const [, body] of bodies) body.catch(() => undefined);
      for (const [hourMs, body] of bodies) yield [hourMs, readHour(await body, memory)];
    }
  }
}

/** A query has so many hours: they block the event loop for about 10 ms. */
const HOURS_AT_ONCE = 8;

async function rowOf({ layer, hourMs, untilMs, ...hour }: HourToStore): Promise<Tables['overview_hour']> {
  const { size, sampling, extent, body, references } = hour;
  const quality = references ? QUALITY.open : QUALITY.closed;
  return {
    layer,
    hour_ms: hourMs,
    until_ms: Math.floor(untilMs),
    size,
    sampling,
    west: extent?.west ?? null,
    south: extent?.south ?? null,
    east: extent?.east ?? null,
    north: extent?.north ?? null,
    body: await compress(body, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
    open_references: references ?? null,
  };
}
