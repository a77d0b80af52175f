import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { addMs, compareInstants, type UpstreamInstant } from '#lib/time/instant.ts';
import { ByteCache } from './byte-cache.ts';
import { Catalogue } from './catalogue.ts';
import { inTurns } from './in-turns.ts';
import { type LayerPeriod, PERIOD_MS, periodKey } from './period.ts';
import type { Rows } from './rows.ts';
import { readEntry, type SegmentEntry, unreadableEntry } from './segment/segment-entry.ts';
import { deleteSegment, listSegments, segmentFile } from './segment/segment-files.ts';
import { SegmentPeriod } from './segment/segment-period.ts';
import { SegmentReader } from './segment/segment-reader.ts';
import { segmentBytes, writeWhole } from './segment/write-segment.ts';

/** Footers that are read at once when the catalogue is made anew. */
const READ_AT_ONCE = 16;

type Log = (entry: string) => void;

/** The sealed segments of a folder. What it knows of each is in memory and in the catalogue. */
export class SegmentStore {
  readonly #folder: string;
  readonly #catalogue: Catalogue;
  readonly #cache: ByteCache;
  readonly #log: Log;
  /** By time. */
  readonly #entries = new Map<string, SegmentEntry>();
  readonly #reportedFiles = new Set<string>();
  #bytes = 0;
  #newest: UpstreamInstant | undefined;
  #keptSince: UpstreamInstant | undefined;

  private constructor(folder: string, catalogue: Catalogue, cacheBytes: number, log: Log) {
    this.#folder = folder;
    this.#catalogue = catalogue;
    this.#keptSince = catalogue.keptSince();
    this.#cache = new ByteCache(cacheBytes);
    this.#log = log;
  }

  /**
   * Opens the segments under `folder`, and makes it if it is missing. The catalogue is brought to what is on disk: from the
   * footers of segments that it lacks.
   */
  static async open(folder: string, cacheBytes: number, log: Log): Promise<SegmentStore> {
    const segments = join(folder, 'segments');
    await mkdir(segments, { recursive: true, mode: 0o700 });
    const store = new SegmentStore(segments, new Catalogue(join(folder, 'catalogue.sqlite'), log), cacheBytes, log);
    try {
      await store.#load();
      return store;
    } catch (failure) {
      store.close();
      throw failure;
    }
  }

  /** Of all files. */
  get bytes(): number {
    return this.#bytes;
  }

  get count(): number {
    return this.#entries.size;
  }

  /** Segments in which something was found that can't be read. */
  get damaged(): number {
    return this.#reportedFiles.size;
  }

  /** When the oldest observation that is stored was observed. */
  get oldestAt(): UpstreamInstant | undefined {
    let oldest: UpstreamInstant | undefined;
    for (const { start, firstMs, isReadable } of this.#entries.values()) {
      if (oldest !== undefined && start > oldest) break;
      const first = addMs(start, firstMs);
      if (isReadable && (oldest === undefined || first < oldest)) oldest = first;
    }
    return oldest;
  }

  get(period: LayerPeriod): SegmentEntry | undefined {
    return this.#entries.get(periodKey(period));
  }

  /** The end of the last segment that the retention has deleted. A catalogue that was lost has forgotten it. */
  get keptSince(): UpstreamInstant | undefined {
    return this.#keptSince;
  }

  /** Reads one segment for one question; close it afterwards. */
  reading(entry: SegmentEntry): { readonly held: SegmentPeriod; close(): Promise<void> } {
    const reader = new SegmentReader(segmentFile(this.#folder, entry), entry, this.#cache);
    const held = new SegmentPeriod(entry, reader, (failure) => {
      // What the retention has deleted meanwhile is no damage.
      if (this.get(entry) !== undefined) this.#reportOnce(reader.file, failure);
    });
    return { held, close: () => reader.close() };
  }

  /** Writes a segment. Rejects with what the file system says; then it is not there. */
  async seal(period: LayerPeriod, rows: Rows, isWhole: boolean): Promise<void> {
    const file = segmentFile(this.#folder, period);
    await writeWhole(file, await segmentBytes(period, rows, isWhole));
    const entry = await readEntry(file, period);
    this.#add(entry);
    this.#record(() => this.#catalogue.put([entry]));
  }

  /** Deletes segments, oldest first, as long as the next one is to go. Rejects with what the file system says. */
  async deleteWhile(isToGo: (oldest: SegmentEntry, bytes: number) => boolean): Promise<void> {
    for (const entry of this.#entries.values()) {
      if (!isToGo(entry, this.#bytes)) return;
      // First the row: what has a row and no file is taken for lost, not for deleted.
      const end = addMs(entry.start, PERIOD_MS);
      if (this.#keptSince === undefined || this.#keptSince < end) this.#keptSince = end;
      this.#record(() => this.#catalogue.remove(entry, end));
      this.#entries.delete(periodKey(entry));
      this.#bytes -= entry.bytes;
      await deleteSegment(this.#folder, entry);
    }
  }

  close(): void {
    this.#catalogue.close();
  }

  async #load(): Promise<void> {
    const known = new Map(this.#catalogue.entries().map((entry) => [periodKey(entry), entry]));
    const onDisk = await listSegments(this.#folder);
    const unknown = [...onDisk].filter(([key]) => known.get(key)?.isReadable !== true);
    const read = await inTurns(READ_AT_ONCE, unknown, ([, period]) => this.#readEntry(period));
    const lost = [...known.values()].filter((entry) => !onDisk.has(periodKey(entry)));
    for (const entry of lost) this.#reportOnce(segmentFile(this.#folder, entry), new Error('the file is missing'));
    const changed = [...read, ...lost.filter(({ isReadable }) => isReadable).map((entry) => unreadableEntry(entry, 0))];
    for (const entry of changed) known.set(periodKey(entry), entry);
    for (const entry of [...known.values()].sort((a, b) => compareInstants(a.start, b.start))) this.#add(entry);
    if (changed.length === 0) return;
    this.#log(`past: the catalogue is brought to what is on disk: ${changed.length} of ${known.size} segments`);
    this.#record(() => this.#catalogue.put(changed));
  }

  async #readEntry(period: LayerPeriod): Promise<SegmentEntry> {
    const file = segmentFile(this.#folder, period);
    try {
      return await readEntry(file, period);
    } catch (failure) {
      this.#reportOnce(file, failure instanceof Error ? failure : new Error(String(failure)));
      return unreadableEntry(period, 0);
    }
  }

  #add(entry: SegmentEntry): void {
    this.#entries.set(periodKey(entry), entry);
    this.#bytes += entry.bytes;
    if (this.#newest !== undefined && entry.start < this.#newest) this.#sort();
    else this.#newest = entry.start;
  }

  #sort(): void {
    const sorted = [...this.#entries].sort(([, a], [, b]) => compareInstants(a.start, b.start));
    this.#entries.clear();
    for (const [key, entry] of sorted) this.#entries.set(key, entry);
  }

  /** The catalogue can be made anew at the next start: it stops nothing. */
  #record(change: () => void): void {
    try {
      change();
    } catch (failure) {
      this.#log(`past: the catalogue could not be written: ${failure instanceof Error ? failure.message : failure}`);
    }
  }

  #reportOnce(file: string, failure: Error): void {
    if (this.#reportedFiles.has(file)) return;
    this.#reportedFiles.add(file);
    this.#log(
      `past: ${file} can't be read in part or whole, and answers over it are marked as truncated: ${failure.message}`,
    );
  }
}
