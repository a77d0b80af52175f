import { performance } from 'node:perf_hooks';
import type { Layer } from '#lib/contract/operation.ts';
import { type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { Query } from '../../postgres/query.ts';
import { readLog } from '../frame.ts';
import { PastContents } from '../past-contents.ts';
import { type LayerPeriod, periodKey } from '../period.ts';
import type { Rows } from '../rows.ts';
import { SealedSegments } from '../sealed-segments.ts';
import { atMost } from './at-most.ts';
import { databaseBytes } from './database-bytes.ts';

interface ChangedRow extends Readonly<Record<string, unknown>> {
  readonly kind: number;
  readonly id: number;
  readonly layer: Layer;
  readonly start: number | null;
  readonly size: number;
  readonly count: number;
  readonly first_ms: number;
  readonly last_ms: number;
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
  readonly bytes: Uint8Array;
}

/** Readings of segments, of the ten connections: keys are checked over the others, however much of the past is asked for. */
const SEGMENTS_AT_ONCE = 4;
const [STATE, SEGMENT] = [0, 1];
/** In one statement, so that it is the state of one moment: what is no frame any more is a segment. */
const CHANGES = `
  select ${STATE} as kind, term as id, null as layer, kept_since as start,
    (extract(epoch from clock_timestamp()) * 1000)::bigint - heartbeat_at as size, 0 as count, 0 as first_ms, 0 as last_ms,
    0 as west, 0 as south, 0 as east, 0 as north, null::bytea as bytes
    from lookout.past
  union all
  select ${SEGMENT}, seq, layer, start, size, count, first_ms, last_ms, west, south, east, north, null
    from lookout.past_segment where seq > $1
  union all
  select 2, id, layer, start, 0, 0, 0, 0, 0, 0, 0, 0, bytes
    from lookout.past_frame where id > $2
  order by kind, id`;

interface SharedContentsOptions {
  readonly query: Query;
  readonly cacheBytes: number;
  readonly log: (entry: string) => void;
  /** Called with what others have recorded since the last time, in their order. */
  readonly onRows: (period: LayerPeriod, rows: Rows) => void;
}

/** What a database holds of the past, as far as this process has read it. */
export class SharedContents {
  readonly contents: PastContents;
  readonly #options: SharedContentsOptions;
  #lastSegment = 0;
  #lastFrame = 0;
  #term = 0;
  /** Of the frames of each period. */
  readonly #frameBytes = new Map<string, number>();
  #reading: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #readAtMs = Number.NEGATIVE_INFINITY;
  #heartbeatAgeMs = Number.POSITIVE_INFINITY;

  constructor(options: SharedContentsOptions) {
    const { query, cacheBytes, log } = options;
    this.#options = options;
    const inLine = atMost(SEGMENTS_AT_ONCE);
    const querySegment: Query = (sql, values) => inLine(() => query(sql, values));
    const open = (period: LayerPeriod) => databaseBytes(querySegment, period, () => this.refresh());
    this.contents = new PastContents(new SealedSegments(open, cacheBytes, log));
  }

  get frameBytes(): number {
    let sum = 0;
    for (const bytes of this.#frameBytes.values()) sum += bytes;
    return sum;
  }

  /** The number of who recorded last. */
  get term(): number {
    return this.#term;
  }

  /** How long ago the database was read. */
  get ageMs(): number {
    return performance.now() - this.#readAtMs;
  }

  /** How long ago, by the database's clock, somebody said that it records; as of the last reading. */
  get heartbeatAgeMs(): number {
    return this.#heartbeatAgeMs;
  }

  /**
   * Reads what has changed until now. Whoever asks while it is read gets the reading after that one, which all of them share.
   * @param query of whom it is asked
   */
  refresh(query = this.#options.query): Promise<void> {
    if (this.#reading === undefined) {
      this.#reading = this.#refresh(query).finally(() => {
        this.#reading = undefined;
      });
      return this.#reading;
    }
    this.#next ??= this.#reading
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.refresh(query);
      });
    return this.#next;
  }

  /** Notes what this process has written itself. Throws if it was read already: then it is not to be added. */
  wroteFrame(period: LayerPeriod, id: number, bytes: number): void {
    if (id <= this.#lastFrame) throw new Error('the frame was read back before it was known to be written');
    this.#lastFrame = id;
    this.#count(period, bytes);
  }

  /** Notes a segment that this process has written itself; it is added to the segments by whoever knows it. */
  wroteSegment(period: LayerPeriod, seq: number): void {
    this.#lastSegment = Math.max(this.#lastSegment, seq);
    this.#frameBytes.delete(periodKey(period));
  }

  /** What is older was deleted. */
  keepSince(since: UpstreamInstant): void {
    const { segments } = this.contents;
    segments.keepSince(since);
    for (const entry of [...segments.all()]) {
      if (entry.start >= since) break;
      segments.remove(entry);
    }
    // Whoever reads seldom knows of frames that were sealed, and deleted as a segment, since.
    for (const { period } of this.contents.open) {
      if (period.start >= since) continue;
      this.contents.close(period);
      this.#frameBytes.delete(periodKey(period));
    }
  }

  async #refresh(query: Query): Promise<void> {
    const startedMs = performance.now();
    const rows = await query<ChangedRow>(CHANGES, [this.#lastSegment, this.#lastFrame]);
    for (const row of rows) {
      if (row.kind === STATE) this.#readState(row);
      else if (row.kind === SEGMENT) this.#readSegment(row);
      else this.#readFrame(row);
    }
    this.#readAtMs = startedMs;
  }

  #readState({ id, start, size }: ChangedRow): void {
    this.#term = id;
    if (start !== null) this.keepSince(upstreamInstant(start));
    this.#heartbeatAgeMs = size ?? Number.POSITIVE_INFINITY;
  }

  #readSegment(row: ChangedRow): void {
    if (row.id <= this.#lastSegment) return;
    this.#lastSegment = row.id;
    const period = periodOf(row);
    const { west, south, east, north } = row;
    this.contents.segments.add({
      ...period,
      bytes: row.size,
      count: row.count,
      firstMs: row.first_ms,
      lastMs: row.last_ms,
      box: { west, south, east, north },
      isReadable: true,
    });
    this.contents.close(period);
    this.#frameBytes.delete(periodKey(period));
  }

  #readFrame(row: ChangedRow): void {
    if (row.id <= this.#lastFrame) return;
    this.#lastFrame = row.id;
    const period = periodOf(row);
    this.#count(period, row.bytes.length);
    const open = this.contents.openPeriod(period);
    const { frames } = readLog(row.bytes);
    const [frame] = frames;
    if (frames.length !== 1 || frame === undefined || periodKey(frame.period) !== periodKey(period)) {
      open.isWhole = false;
      this.#options.log(
        `past: frame ${row.id} of lookout.past_frame is damaged, and answers over its five minutes are marked as truncated`,
      );
      return;
    }
    open.add(frame.rows);
    this.#options.onRows(period, frame.rows);
  }

  #count(period: LayerPeriod, bytes: number): void {
    const key = periodKey(period);
    this.#frameBytes.set(key, (this.#frameBytes.get(key) ?? 0) + bytes);
  }
}

function periodOf({ layer, start }: ChangedRow): LayerPeriod {
  return { layer, start: upstreamInstant(start!) };
}
