import { addMs, epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Query } from '../../postgres/query.ts';
import { type Frame, writeFrame } from '../frame.ts';
import type { PastStore } from '../past-store.ts';
import { type LayerPeriod, PERIOD_MS, periodName } from '../period.ts';
import type { Rows } from '../rows.ts';
import type { SealedSegments } from '../sealed-segments.ts';
import { bytesInMemory } from '../segment/segment-bytes.ts';
import { readEntry, type SegmentEntry } from '../segment/segment-entry.ts';
import { segmentBytes } from '../segment/write-segment.ts';
import { dayOfTable, dayStart, dayTable } from './day-table.ts';
import type { RecorderLease } from './recorder-lease.ts';
import type { SharedContents } from './shared-contents.ts';

/** Whoever reads a table that is to go is waited for no longer; the next deletion tries again. */
const DROP_WAIT_MS = 200;

/** The tables of a database that several services share, for the one that records. */
export class PostgresStore implements PastStore {
  readonly segments: SealedSegments;
  readonly #shared: SharedContents;
  readonly #lease: RecorderLease;
  readonly #now: () => UpstreamInstant;

  constructor(shared: SharedContents, lease: RecorderLease, now: () => UpstreamInstant) {
    this.segments = shared.contents.segments;
    this.#shared = shared;
    this.#lease = lease;
    this.#now = now;
  }

  get frameBytes(): number {
    return this.#shared.frameBytes;
  }

  async append(frame: Frame): Promise<void> {
    const bytes = await writeFrame(frame);
    const { layer, start } = frame.period;
    const session = await this.#lease.session();
    const [row] = await session.query<{ id: number }>(
      'insert into lookout.past_frame (layer, start, bytes) values ($1, $2, $3) returning id',
      [layer, epochMs(start), bytes],
    );
    this.#shared.wroteFrame(frame.period, row!.id, bytes.length);
  }

  /** What was appended is safe already; the others are told that this process records. */
  sync(): Promise<void> {
    return this.#lease.beat();
  }

  async seal(period: LayerPeriod, rows: Rows, isWhole: boolean): Promise<void> {
    // One after the other may take a while.
    await this.#lease.beat();
    // Before the rows are encoded: a connection that is made anew may bring some that were thought lost.
    const session = await this.#lease.session();
    if (this.segments.get(period)) return;
    const bytes = Buffer.concat(await segmentBytes(period, rows, isWhole));
    const entry = await readEntry(bytesInMemory(periodName(period.start), bytes), bytes.length, period);
    const { layer, start } = period;
    const seq = await session.within(async (query) => {
      const table = dayTable(start);
      await query(`create table if not exists ${table} (like lookout.past_day including all)`);
      await query(`insert into ${table} (layer, start, bytes) values ($1, $2, $3)`, [layer, epochMs(start), bytes]);
      const [row] = await query<{ seq: number }>(
        `insert into lookout.past_segment (layer, start, size, count, first_ms, last_ms, west, south, east, north)
          values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning seq`,
        [layer, epochMs(start), entry.bytes, entry.count, entry.firstMs, entry.lastMs, ...corners(entry)],
      );
      await query('delete from lookout.past_frame where layer = $1 and start = $2', [layer, epochMs(start)]);
      return row!.seq;
    });
    this.segments.add(entry);
    this.#shared.wroteSegment(period, seq);
  }

  /** They went with the segments. */
  deleteFrames(): Promise<void> {
    return Promise.resolve();
  }

  async deleteWhile(isToGo: (oldest: SegmentEntry, bytes: number) => boolean): Promise<void> {
    const since = this.#endOfWhatGoes(isToGo);
    if (since === undefined) return;
    const session = await this.#lease.session();
    await session.within(async (query) => {
      await query('update lookout.past set kept_since = greatest(kept_since, $1)', [epochMs(since)]);
      await query('delete from lookout.past_segment where start < $1', [epochMs(since)]);
      await query('delete from lookout.past_frame where start < $1', [epochMs(since)]);
      // Room for what is still to come. Rows of another day give back nothing before its table goes.
      if (dayStart(since) === dayStart(this.#now())) {
        const [made] = await query('select where to_regclass($1) is not null', [dayTable(since)]);
        if (made) await query(`delete from ${dayTable(since)} where start < $1`, [epochMs(since)]);
      }
    });
    this.#shared.keepSince(since);
    await this.#dropDaysBefore(since);
  }

  /** The end of the last period that goes, with both its layers. */
  #endOfWhatGoes(isToGo: (oldest: SegmentEntry, bytes: number) => boolean): UpstreamInstant | undefined {
    let end: UpstreamInstant | undefined;
    let { bytes } = this.segments;
    for (const entry of this.segments.all()) {
      if (end === undefined || entry.start >= end) {
        if (!isToGo(entry, bytes)) break;
        end = addMs(entry.start, PERIOD_MS);
      }
      bytes -= entry.bytes;
    }
    return end;
  }

  async #dropDaysBefore(since: UpstreamInstant): Promise<void> {
    const session = await this.#lease.session();
    const tables = await session.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'lookout'::regnamespace and relkind = 'r' and relname like 'past\\_day\\_%'`,
    );
    for (const { name } of tables) {
      const day = dayOfTable(name);
      if (day === undefined || day >= dayStart(since)) continue;
      await session.within(async (query) => {
        await query(`set local lock_timeout = ${DROP_WAIT_MS}`);
        await dropped(query, name);
      });
    }
  }
}

async function dropped(query: Query, name: string): Promise<void> {
  await query('savepoint whole');
  try {
    await query(`drop table lookout.${name}`);
  } catch {
    await query('rollback to whole');
  }
}

function corners({ box: { west, south, east, north } }: SegmentEntry): readonly number[] {
  return [west, south, east, north];
}
