import 'server-only';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { z } from 'zod';
import { liveReasonSchema } from '#lib/api/layer-reason.ts';
import { Coalesced, Paced } from '#lib/async/coalesced.ts';
import { decodeFrame } from '#lib/codec/frame.ts';
import { splitHead, writeHead } from '#lib/codec/json-head.ts';
import { positionsOf } from '#lib/codec/record-columns.ts';
import { RECEPTION_STATES } from '#lib/contract/reception.ts';
import { LAYERS } from '#lib/model/position.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import type { Database } from '../database/database.ts';
import { CHANNEL } from '../database/notices.ts';
import type { AreaReads } from '../live/area-reads.ts';
import type { AreaSnapshots, Edition } from '../live/area-snapshots.ts';
import type { AreaRecords, AreaSnapshot } from '../live/snapshots.ts';
import { MACHINE } from '../machine.ts';
import type { Part } from '../supervision/supervisor.ts';

const TOPIC = 'frame';
const WRITTEN_EVERY_MS = 100;
/** Bytes of a notice. PostgreSQL allows 8000. */
const NOTICE_MAX = 7000;
/** The text of a notice: keys of areas, in lines. Without any, all may have changed. */
const KEYS = /^(?:[a-z]+ [-\d.,]{7,90}(?:\n[a-z]+ [-\d.,]{7,90})*)?$/;
/** Areas fetched at once, far below the 65,535 parameters of a statement. The comparison of each second finds the others. */
const KEYS_MAX = 2000;
/** The largest frame that is unpacked: rows of other programs must not fill the memory. */
const FRAME_MAX_BYTES = 64 * 1024 * 1024;

export interface SharedFramesOptions {
  readonly database: Database;
  readonly snapshots: AreaSnapshots;
  readonly reads: AreaReads;
  readonly part: Part;
  readonly log: Pick<Logger, 'warn'>;
}

interface Row extends Edition {
  readonly key: string;
}

/**
 * The writer stores snapshots, and readers fetch them. A comparison each second limits the effect of lost notices, and
 * of a table emptied by a crash.
 */
export class SharedFrames {
  readonly #options: SharedFramesOptions;
  readonly #changed = new Map<string, AreaSnapshot>();
  readonly #writing: Paced;
  readonly #unlisten: (() => void)[];
  readonly #wanted = new Set<string>();
  readonly #fetches = new Coalesced(() => this.#fetchWanted());
  /** The work of all notices so far. */
  #noticed: Promise<unknown> = Promise.resolve();
  /** The fence of the lease while this server is the writer. */
  #fence: number | undefined;

  constructor(options: SharedFramesOptions) {
    this.#options = options;
    this.#writing = new Paced(WRITTEN_EVERY_MS, () => options.part.run(() => this.#write()), MACHINE);
    this.#unlisten = [
      options.database.listen(
        TOPIC,
        (text) => {
          if (this.#fence !== undefined) return;
          const work = options.part.run(() => (text ? this.#fetch(text.split('\n')) : this.compare()));
          this.#noticed = Promise.all([this.#noticed, work]);
        },
        KEYS,
      ),
      options.snapshots.onPut((snapshot) => {
        if (this.#fence === undefined) return;
        this.#changed.set(snapshot.area.key, snapshot);
        this.#writing.soon();
      }),
    ];
  }

  /** Lets this server write snapshots. Call it after `compare`. */
  write(fence: number): void {
    this.#fence = fence;
    this.#options.snapshots.rename();
  }

  read(): void {
    this.#fence = undefined;
    this.#changed.clear();
  }

  /** @throws DatabaseFailure */
  async compare(): Promise<void> {
    const { database, snapshots } = this.#options;
    const rows: readonly Row[] = await database.query.selectFrom('frame').select(['key', 'name', 'sequence']).execute();
    if (this.#fence === undefined) return this.#fetch(rows.filter((row) => !this.#has(row)).map(({ key }) => key));
    const stored = new Map(rows.map((row) => [row.key, row]));
    for (const snapshot of snapshots.all()) {
      const { key } = snapshot.area;
      const row = stored.get(key);
      if (row?.name !== snapshot.name || row.sequence !== snapshot.sequence) this.#changed.set(key, snapshot);
      stored.delete(key);
    }
    if (this.#changed.size > 0) this.#writing.soon();
    if (stored.size > 0) await this.#delete([...stored.keys()]);
  }

  /** @throws DatabaseFailure */
  async flush(): Promise<void> {
    await this.#write();
  }

  async close(): Promise<void> {
    for (const end of this.#unlisten) end();
    await Promise.all([this.#writing.stop(), this.#noticed]);
  }

  #has({ key, name, sequence }: Row): boolean {
    const known = this.#options.snapshots.all().find(({ area }) => area.key === key);
    return known?.name === name && known.sequence === sequence;
  }

  /** One statement: either the fence holds and all is written, or nothing. */
  async #write(): Promise<void> {
    const fence = this.#fence;
    const snapshots = [...this.#changed.values()];
    this.#changed.clear();
    if (fence === undefined || snapshots.length === 0) return;
    const rows = await Promise.all(snapshots.map(async (each) => ({ ...each, body: await writeFrameBody(each) })));
    const values = rows.map(
      ({ area, name, sequence, body }) => sql`(${area.key}::text, ${name}::text, ${sequence}::bigint, ${body}::bytea)`,
    );
    const keys = rows.map(({ area }) => area.key).join('\n');
    const notice = `${TOPIC} ${Buffer.byteLength(keys) > NOTICE_MAX ? '' : keys}`;
    try {
      await sql`
        with lease as (select 1 from writer where fence = ${fence} for share),
        put as (
          insert into frame (key, name, sequence, body)
          select v.key, v.name, v.sequence, v.body from (values ${sql.join(values)}) as v (key, name, sequence, body), lease
          on conflict (key) do update set name = excluded.name, sequence = excluded.sequence, body = excluded.body
          returning 1
        )
        select pg_notify(${CHANNEL}, ${notice}) where exists (select 1 from put)
      `.execute(this.#options.database.query);
    } catch (error) {
      for (const each of snapshots) if (!this.#changed.has(each.area.key)) this.#changed.set(each.area.key, each);
      throw error;
    }
  }

  async #delete(keys: readonly string[]): Promise<void> {
    await sql`
      delete from frame where key in (${sql.join(keys)})
      and exists (select 1 from writer where fence = ${this.#fence})
    `.execute(this.#options.database.query);
  }

  async #fetch(keys: readonly string[]): Promise<void> {
    for (const key of keys) if (this.#wanted.size < KEYS_MAX) this.#wanted.add(key);
    await this.#fetches.run();
  }

  async #fetchWanted(): Promise<void> {
    const { database, log } = this.#options;
    const keys = [...this.#wanted];
    this.#wanted.clear();
    if (keys.length === 0) return;
    const rows = await database.query
      .selectFrom('frame')
      .select(['key', 'name', 'sequence', 'body'])
      .where('key', 'in', keys)
      .execute();
    for (const row of rows) {
      if (this.#has(row) || this.#fence !== undefined) continue;
      try {
        this.#take(row, await readFrameBody(row.body));
      } catch (error) {
        log.warn({ area: row.key, err: error }, 'the frame of an area cannot be read');
      }
    }
  }

  #take({ name, sequence }: Edition, records: Awaited<ReturnType<typeof readFrameBody>>): void {
    const { snapshots, reads } = this.#options;
    const { area, positions, readAt, incomplete, reception } = records;
    const before = snapshots.of(area);
    const isNext = before?.name === name && before.sequence === sequence - 1;
    snapshots.take(records, { name, sequence });
    if (!isNext) reads.publish({ kind: 'missed', area, before: readAt });
    reads.publish({ kind: 'read', area, positions, readAt, isComplete: incomplete === undefined, reception });
  }
}

const inflate = promisify(inflateRaw);

const instantSchema = z.number().transform(upstreamInstant);
const bboxSchema = z.object({ west: z.number(), south: z.number(), east: z.number(), north: z.number() });
const receptionSchema = z.object({
  state: z.enum(RECEPTION_STATES),
  since: z.optional(instantSchema),
  receivers: z.int().nonnegative(),
  receiving: z.int().nonnegative(),
  deaf: z.optional(z.int().positive()),
});
const headSchema = z.object({
  area: z.object({ key: z.string(), layer: z.enum(LAYERS), bbox: bboxSchema }),
  fetchedAt: instantSchema,
  readAt: instantSchema,
  incomplete: z.optional(liveReasonSchema),
  unreadable: z.int().nonnegative(),
  reception: z.optional(
    receptionSchema.extend({ places: z.optional(z.array(receptionSchema.extend({ bbox: bboxSchema }))) }),
  ),
});

async function writeFrameBody(snapshot: AreaSnapshot): Promise<Uint8Array> {
  const { area, fetchedAt, readAt, incomplete, unreadable, reception } = snapshot;
  const head = { area, fetchedAt, readAt, incomplete, unreadable, reception };
  return Buffer.concat([writeHead(head), await snapshot.full()]);
}

/** @throws Error if it is damaged or too large */
async function readFrameBody(body: Uint8Array): Promise<AreaRecords> {
  const { head, end } = splitHead(body);
  const { incomplete, reception, ...rest } = headSchema.parse(head);
  const frame = await inflate(body.subarray(end), { maxOutputLength: FRAME_MAX_BYTES });
  const positions = positionsOf(decodeFrame(new Uint8Array(frame)).records);
  return {
    ...rest,
    incomplete,
    reception: reception && {
      ...reception,
      since: reception.since,
      places: reception.places?.map((place) => ({ ...place, since: place.since })),
    },
    positions: new Map(positions.map((position) => [position.ref, position])),
  };
}
