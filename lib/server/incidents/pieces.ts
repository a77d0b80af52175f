import 'server-only';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import type { ExpressionBuilder } from 'kysely';
import { ApiError } from '#lib/api/error-code.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import type { Database } from '../database/database.ts';
import { deflated } from '../database/deflated.ts';
import type { Tables } from '../database/tables.ts';

const inflate = promisify(inflateRaw);

/** A row of a database, before it is compressed. */
const PIECE_BYTES = 1 << 20;
const READ_BYTES = 1 << 16;
const LONGEST_MS = HOUR_MS;
/** Pieces of runs that were killed: none takes so long. */
const ABANDONED_MS = 2 * LONGEST_MS;
const DROPPED_AT_ONCE = 20;

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

  /**
   * Writes a whole, which is dropped where `run` fails.
   * @param isCompressed of bytes that are compressed already, and stored as they are
   * @param run ends with the change that names the whole
   */
  async whole<Result>(isCompressed: boolean, run: (writer: PieceWriter) => Promise<Result>): Promise<Result> {
    await this.#dropAbandoned();
    const id = randomUUID();
    const beganMs = this.#nowMs();
    let number = 0;
    const writer = new PieceWriter(id, async (name, bytes) => {
      const body = isCompressed ? bytes : await deflated(bytes);
      const written_ms = this.#nowMs();
      if (written_ms - beganMs > LONGEST_MS) throw new ApiError('not_possible', 'It took over an hour: try again.');
      await this.#database.change((query) =>
        query.insertInto('incident_piece').values({ whole_id: id, number: number++, name, body, written_ms }).execute(),
      );
      return body.byteLength;
    });
    try {
      return await run(writer);
    } catch (error) {
      // A run that is killed leaves its pieces, which a later one drops.
      await this.drop(id).catch(() => undefined);
      throw error;
    }
  }

  /** The bytes of one file, 64 kB at a time: hashing and parsing them blocks other requests for a few ms. */
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
      const bytes = isCompressed ? row.body : await inflate(row.body);
      for (let at = 0; at < bytes.byteLength; at += READ_BYTES) yield bytes.subarray(at, at + READ_BYTES);
      after = row.number;
    }
  }

  async text(wholeId: string, name: string): Promise<string> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.read(wholeId, name)) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  }

  /** Drops a whole that no incident names, a few pieces at a time: a statement of SQLite blocks. */
  async drop(wholeId: string): Promise<void> {
    for (let dropped = DROPPED_AT_ONCE; dropped === DROPPED_AT_ONCE; ) {
      dropped = await this.#database.change(async (query) => {
        const rows = await query
          .selectFrom('incident_piece')
          .select('number')
          .where('whole_id', '=', wholeId)
          .where(isUnnamed)
          .limit(DROPPED_AT_ONCE)
          .execute();
        const numbers = rows.map(({ number }) => number);
        if (numbers.length > 0)
          await query
            .deleteFrom('incident_piece')
            .where('whole_id', '=', wholeId)
            .where('number', 'in', numbers)
            .execute();
        return numbers.length;
      });
    }
  }

  async #dropAbandoned(): Promise<void> {
    const rows = await this.#database.query
      .selectFrom('incident_piece')
      .select('whole_id')
      .distinct()
      .where('written_ms', '<', this.#nowMs() - ABANDONED_MS)
      .where(isUnnamed)
      .execute();
    for (const { whole_id } of rows) await this.drop(whole_id);
  }

  #nowMs(): number {
    return Math.floor(epochMs(this.#now()));
  }
}

function isUnnamed(where: ExpressionBuilder<Tables, 'incident_piece'>) {
  const named = where
    .selectFrom('incident')
    .select('incident.id')
    .where((its) =>
      its.or([
        its('incident.kept_id', '=', its.ref('incident_piece.whole_id')),
        its('incident.file_id', '=', its.ref('incident_piece.whole_id')),
      ]),
    );
  return where.not(where.exists(named));
}

/** Collects bytes of one file after the other into pieces. */
export class PieceWriter {
  readonly id: string;
  readonly #store: (name: string, bytes: Uint8Array) => Promise<number>;
  readonly #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #name: string | undefined;
  /** As stored. */
  bytes = 0;

  constructor(id: string, store: (name: string, bytes: Uint8Array) => Promise<number>) {
    this.id = id;
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
