import 'server-only';
import { FORMAT_VERSION } from '#lib/codec/format-version.ts';
import { HISTORY_MAX_WINDOW_MS } from '#lib/contract/limits.ts';
import type { Layer } from '#lib/model/position.ts';
import { epochMs, type LocalInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Database } from '../../database/database.ts';
import type { Tables } from '../../database/tables.ts';
import type { WriterLease } from '../../database/writer-lease.ts';
import type { Part } from '../../supervision/supervisor.ts';
import { READER_VERSION } from '../../upstream/read-page.ts';
import {
  boxColumns,
  type HistoryPart,
  isReadableBody,
  type PartHead,
  type PastPart,
  packedReception,
  packReception,
  partColumns,
  partKey,
  partOfColumns,
  withReception,
} from './history-part.ts';

/** All bodies and rows in the database. */
const MAX_BYTES = 512 * 1024 * 1024;
/** A row without its body. */
const ROW_BYTES = 400;
/** The part that an eviction frees, so that not every new part causes one. */
const SLACK = 0.1;
/** Bodies in one statement, of about 20 kB each. */
const BODIES_AT_ONCE = 64;
const EVICTED_AT_ONCE = 200;
/** A use is recorded once in this time. */
const USED_STEP_MS = 10 * MINUTE_MS;
/** Other versions are ignored, and evicted in time. */
const VERSION = `${FORMAT_VERSION}.${READER_VERSION}`;

export interface StoredPartsOptions {
  readonly database: Database;
  readonly account: string;
  readonly lease: WriterLease;
  readonly part: Part;
  /** The clock is common to all servers. */
  readonly wallNow: () => LocalInstant;
  readonly maxBytes?: number;
  readonly version?: string;
}

/** Every call rejects with `DatabaseFailure`. */
export class StoredParts {
  readonly #options: Required<StoredPartsOptions>;
  /** A lower bound; `undefined` before it is counted. */
  #bytes: number | undefined;

  constructor(options: StoredPartsOptions) {
    this.#options = { maxBytes: MAX_BYTES, version: VERSION, ...options };
    // Another writer has stored parts meanwhile.
    options.lease.onChange(() => {
      this.#bytes = undefined;
    });
  }

  /** @returns `undefined` where the database fails */
  async attempt<Result>(use: (stored: this) => Promise<Result>): Promise<Result | undefined> {
    let result: Result | undefined;
    await this.#options.part.run(async () => {
      result = await use(this);
    });
    return result;
  }

  /** Finds parts over all of the box and some of the window. */
  async headsOver(layer: Layer, { bbox, window }: PastPart): Promise<readonly PartHead[]> {
    const { west, south, east, north } = boxColumns(bbox);
    const rows = await this.#rows()
      .where('layer', '=', layer)
      .where('start_ms', '>', epochMs(window.start) - HISTORY_MAX_WINDOW_MS)
      .where('start_ms', '<', epochMs(window.end))
      .where('end_ms', '>', epochMs(window.start))
      .where('west', '<=', west)
      .where('south', '<=', south)
      .where('east', '>=', east)
      .where('north', '>=', north)
      .select(['layer', 'west', 'south', 'east', 'north', 'start_ms', 'end_ms', 'records', 'truncated'])
      .execute();
    return rows.flatMap((row) => {
      const part = partOfColumns(row);
      return part ? [{ ...part, records: row.records, truncated: row.truncated === 1, isStored: true }] : [];
    });
  }

  /** Reads stored parts, and deletes rows that cannot be read. */
  async read(layer: Layer, parts: readonly PastPart[]): Promise<ReadonlyMap<string, HistoryPart>> {
    const found = new Map<string, HistoryPart>();
    for (let first = 0; first < parts.length; first += BODIES_AT_ONCE) {
      const some = new Map(parts.slice(first, first + BODIES_AT_ONCE).map((part) => [partKey(layer, part), part]));
      const rows = await this.#rows()
        .where('key', 'in', [...some.keys()])
        .select(['key', 'records', 'truncated', 'body', 'reception'])
        .execute();
      const damaged: string[] = [];
      for (const { key, records, truncated, body, reception } of rows) {
        const { bbox, window } = some.get(key) as PastPart;
        const stretches = packedReception.safeParse(reception === null ? [] : parsedJson(reception)).data;
        if (!stretches || !(await isReadableBody(body, records))) damaged.push(key);
        else {
          // A copy keeps no larger buffer of the driver.
          const own = Uint8Array.from(body);
          const part = { layer, bbox, window, records, truncated: truncated === 1, unreadable: 0, body: own };
          found.set(key, withReception(part, stretches));
        }
      }
      await this.#delete(damaged);
      await this.#used(rows.map(({ key }) => key));
    }
    return found;
  }

  /** @returns the keys that were evicted */
  async put(part: HistoryPart): Promise<readonly string[]> {
    const { database, account, wallNow, version, maxBytes } = this.#options;
    const { layer, records, truncated, body } = part;
    const reception = packReception(part);
    const row = {
      ...partColumns(layer, part),
      records,
      truncated: truncated ? 1 : 0,
      version,
      body,
      reception: reception ? JSON.stringify(reception) : null,
      used_ms: Math.floor(epochMs(wallNow())),
    } satisfies Partial<Tables['part']>;
    await database.change((query) =>
      query
        .insertInto('part')
        .values({ account, key: partKey(layer, part), ...row })
        .onConflict((conflict) => conflict.columns(['account', 'key']).doUpdateSet(row))
        .execute(),
    );
    this.#bytes = this.#bytes === undefined ? await this.#storedBytes() : this.#bytes + body.byteLength + ROW_BYTES;
    if (this.#bytes <= maxBytes) return [];
    this.#bytes = await this.#storedBytes();
    return this.#bytes > maxBytes ? await this.#evict(this.#bytes) : [];
  }

  #rows() {
    const { database, account, version } = this.#options;
    return database.query.selectFrom('part').where('account', '=', account).where('version', '=', version);
  }

  async #delete(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const { database, account } = this.#options;
    await database.query.deleteFrom('part').where('account', '=', account).where('key', 'in', keys).execute();
  }

  async #used(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const { database, account, wallNow } = this.#options;
    const nowMs = Math.floor(epochMs(wallNow()));
    await database.query
      .updateTable('part')
      .set({ used_ms: nowMs })
      .where('account', '=', account)
      .where('key', 'in', keys)
      .where('used_ms', '<=', nowMs - USED_STEP_MS)
      .execute();
  }

  async #storedBytes(): Promise<number> {
    const { bytes } = await this.#options.database.query
      .selectFrom('part')
      .select(({ fn, eb, val }) =>
        fn.sum<number | null>(eb(fn<number>('length', ['body']), '+', val(ROW_BYTES))).as('bytes'),
      )
      .executeTakeFirstOrThrow();
    return bytes ?? 0;
  }

  async #evict(bytes: number): Promise<readonly string[]> {
    const { query } = this.#options.database;
    const wanted = this.#options.maxBytes * (1 - SLACK);
    const evicted: string[] = [];
    let left = bytes;
    while (left > wanted) {
      const oldest = await query
        .selectFrom('part')
        .select(({ fn }) => ['account', 'key', fn<number>('length', ['body']).as('bytes')])
        .orderBy('used_ms')
        .limit(EVICTED_AT_ONCE)
        .execute();
      if (oldest.length === 0) break;
      const dropped: typeof oldest = [];
      for (const row of oldest) {
        if (left <= wanted) break;
        dropped.push(row);
        left -= row.bytes + ROW_BYTES;
      }
      for (const [account, rows] of Map.groupBy(dropped, (row) => row.account)) {
        const keys = rows.map(({ key }) => key);
        await query.deleteFrom('part').where('account', '=', account).where('key', 'in', keys).execute();
        if (account === this.#options.account) evicted.push(...keys);
      }
    }
    this.#bytes = left;
    return evicted;
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
