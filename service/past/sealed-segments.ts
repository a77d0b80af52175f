import { DamagedBytes } from '#lib/columns/bytes.ts';
import { addMs, compareInstants, type UpstreamInstant } from '#lib/time/instant.ts';
import { OtherVersion } from '#lib/version/file-version.ts';
import { ByteCache } from './byte-cache.ts';
import { type LayerPeriod, periodKey } from './period.ts';
import { foundNothing, type RetainedPeriod } from './read-past.ts';
import { type SegmentEntry, unreadableEntry } from './segment/segment-entry.ts';
import { SegmentPeriod } from './segment/segment-period.ts';
import { type FileBytes, SegmentReader } from './segment/segment-reader.ts';

/** A file that is left as it is reads as a period of which nothing is known. */
const NOTHING_KNOWN: RetainedPeriod = { find: async () => foundNothing(false) };

/**
 * The segments on disk. A segment that cannot be read, damaged or of another Lookout, is named in the log once. Answers
 * over it are truncated.
 */
export class SealedSegments {
  readonly #open: (period: LayerPeriod) => FileBytes;
  readonly #cache: ByteCache;
  readonly #log: (entry: string) => void;
  /** The entries are sorted by time. */
  readonly #entries = new Map<string, SegmentEntry>();
  readonly #reported = new Set<string>();
  readonly #left = new Set<string>();
  #bytes = 0;
  #newest: UpstreamInstant | undefined;
  #keptSince: UpstreamInstant | undefined;

  constructor(open: (period: LayerPeriod) => FileBytes, cacheBytes: number, log: (entry: string) => void) {
    this.#open = open;
    this.#cache = new ByteCache(cacheBytes);
    this.#log = log;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get count(): number {
    return this.#entries.size;
  }

  get damaged(): number {
    return this.#reported.size;
  }

  get oldestAt(): UpstreamInstant | undefined {
    let oldest: UpstreamInstant | undefined;
    for (const { start, firstMs, isReadable } of this.#entries.values()) {
      if (oldest !== undefined && start > oldest) break;
      const first = addMs(start, firstMs);
      if (isReadable && (oldest === undefined || first < oldest)) oldest = first;
    }
    return oldest;
  }

  get newestStart(): UpstreamInstant | undefined {
    return this.#newest;
  }

  get keptSince(): UpstreamInstant | undefined {
    return this.#keptSince;
  }

  get(period: LayerPeriod): SegmentEntry | undefined {
    return this.#entries.get(periodKey(period));
  }

  /** All segments, sorted by time. */
  all(): Iterable<SegmentEntry> {
    return this.#entries.values();
  }

  add(entry: SegmentEntry): void {
    this.remove(entry);
    this.#entries.set(periodKey(entry), entry);
    this.#bytes += entry.bytes;
    if (this.#newest !== undefined && entry.start < this.#newest) this.#sort();
    else this.#newest = entry.start;
  }

  remove(period: LayerPeriod): void {
    const known = this.get(period);
    if (known === undefined) return;
    this.#entries.delete(periodKey(period));
    this.#bytes -= known.bytes;
  }

  /** @param file of a segment, or of a log of both layers */
  leave(file: string, version: OtherVersion, periods: readonly LayerPeriod[]): void {
    for (const period of periods) this.add({ ...unreadableEntry(period, 0), isLeft: true });
    if (this.#left.has(file)) return;
    this.#left.add(file);
    const remedy = 'answers over its five minutes are truncated until that Lookout reads it';
    this.#log(`past: ${version.text(file, remedy)}`);
  }

  /** Keeps the latest of these times: an earlier one changes nothing. */
  keepSince(since: UpstreamInstant): void {
    if (this.#keptSince === undefined || this.#keptSince < since) this.#keptSince = since;
  }

  /** Opens a segment for one search. Close it afterwards. */
  reading(entry: SegmentEntry): { readonly period: RetainedPeriod; close(): Promise<void> } {
    if (entry.isLeft) return { period: NOTHING_KNOWN, close: async () => undefined };
    const bytes = this.#open(entry);
    const reader = new SegmentReader(bytes, entry, this.#cache);
    const period = new SegmentPeriod(entry, reader, (failure) => {
      // The retention may just have deleted it.
      if (this.get(entry) === undefined) return;
      if (failure instanceof OtherVersion) this.leave(bytes.name, failure, [entry]);
      else this.reportOnce(bytes.name, failure);
    });
    return { period, close: () => reader.close() };
  }

  reportOnce(name: string, failure: Error): void {
    if (this.#reported.has(name)) return;
    this.#reported.add(name);
    const how = failure instanceof DamagedBytes ? 'is damaged' : "can't be read";
    this.#log(`past: ${name} ${how} in part or whole, and answers over it are marked as truncated: ${failure.message}`);
  }

  #sort(): void {
    const sorted = [...this.#entries].sort(([, a], [, b]) => compareInstants(a.start, b.start));
    this.#entries.clear();
    for (const [key, entry] of sorted) this.#entries.set(key, entry);
  }
}
