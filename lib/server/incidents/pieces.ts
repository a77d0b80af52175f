import 'server-only';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import type { Database } from '../database/database.ts';
import { deflated } from '../database/deflated.ts';

const inflate = promisify(inflateRaw);

/** A row of a database, before it is compressed. */
const PIECE_BYTES = 1 << 20;
/** A run that takes longer has ended: nothing reads its pieces any more. */
const ABANDONED_MS = 2 * HOUR_MS;

/**
 * Files as rows of the database, compressed: what closing keeps, and sealed files. A whole counts from when an incident
 * names it; before, nothing reads it. Methods reject with a `DatabaseFailure` where the database fails.
 */
export class Pieces {
  readonly #database: Database;
  readonly #now: () => UpstreamInstant;

  constructor(database: Database, now: () => UpstreamInstant) {
    this.#database = database;
    this.#now = now;
  }

  /** @param isCompressed of bytes that are compressed already, and stored as they are */
  writer(wholeId: string, isCompressed = false): PieceWriter {
    let number = 0;
    return new PieceWriter(async (name, bytes) => {
      const body = isCompressed ? bytes : await deflated(bytes);
      const written_ms = Math.floor(epochMs(this.#now()));
      await this.#database.change((query) =>
        query
          .insertInto('incident_piece')
          .values({ whole_id: wholeId, number: number++, name, body, written_ms })
          .execute(),
      );
      return body.byteLength;
    });
  }

  /** The bytes of one file, piece by piece. */
  async *read(wholeId: string, name: string, isCompressed = false): AsyncGenerator<Uint8Array> {
    for (let after = -1; ; ) {
      const row = await this.#database.query
        .selectFrom('incident_piece')
        .select(['number', 'body'])
        .where('whole_id', '=', wholeId)
        .where('name', '=', name)
        .where('number', '>', after)
        .orderBy('number')
        .limit(1)
        .executeTakeFirst();
      if (!row) return;
      yield isCompressed ? row.body : await inflate(row.body);
      after = row.number;
    }
  }

  async text(wholeId: string, name: string): Promise<string> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.read(wholeId, name)) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  }

  /** Drops the pieces of a run that failed. */
  async drop(wholeId: string): Promise<void> {
    await this.#database.change((query) =>
      query.deleteFrom('incident_piece').where('whole_id', '=', wholeId).execute(),
    );
  }

  /** Drops the pieces of runs that were killed. */
  async dropAbandoned(): Promise<void> {
    const beforeMs = Math.floor(epochMs(this.#now())) - ABANDONED_MS;
    await this.#database.change(async (query) => {
      const rows = await query
        .selectFrom('incident_piece')
        .select('whole_id')
        .distinct()
        .where('written_ms', '<', beforeMs)
        .where('whole_id', 'not in', (each) =>
          each.selectFrom('incident').select('kept_id').where('kept_id', 'is not', null).$castTo<{ kept_id: string }>(),
        )
        .where('whole_id', 'not in', (each) =>
          each.selectFrom('incident').select('file_id').where('file_id', 'is not', null).$castTo<{ file_id: string }>(),
        )
        .execute();
      for (const { whole_id } of rows)
        await query.deleteFrom('incident_piece').where('whole_id', '=', whole_id).execute();
    });
  }
}

/** Collects bytes of one file after the other into pieces. */
export class PieceWriter {
  readonly #store: (name: string, bytes: Uint8Array) => Promise<number>;
  readonly #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #name: string | undefined;
  /** As stored. */
  bytes = 0;

  constructor(store: (name: string, bytes: Uint8Array) => Promise<number>) {
    this.#store = store;
  }

  /** All bytes of a file are written before those of the next. */
  async write(name: string, content: Uint8Array | string): Promise<void> {
    if (name !== this.#name) await this.end();
    this.#name = name;
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.byteLength;
    if (this.#waitingBytes >= PIECE_BYTES) await this.end();
  }

  async end(): Promise<void> {
    if (this.#name === undefined || this.#waiting.length === 0) return;
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
    this.bytes += await this.#store(this.#name, bytes);
  }
}
