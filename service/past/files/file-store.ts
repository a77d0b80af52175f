import { mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mapConcurrently } from '#lib/async/map-concurrently.ts';
import { LAYERS, type Layer } from '#lib/contract/operation.ts';
import { errorMessage } from '#lib/text/error-message.ts';
import { addMs, compareInstants, type UpstreamInstant } from '#lib/time/instant.ts';
import { OtherVersion } from '#lib/version/file-version.ts';
import type { LogEntry } from '../log-entry.ts';
import { type LayerPeriod, PERIOD_MS, periodKey, periodName, periodNamed } from '../period.ts';
import type { Rows } from '../rows.ts';
import { SealedSegments } from '../sealed-segments.ts';
import { segmentBytes } from '../segment/segment-bytes.ts';
import { readEntry, type SegmentEntry, unreadableEntry } from '../segment/segment-entry.ts';
import { FileBytes } from '../segment/segment-reader.ts';
import { Catalogue } from './catalogue.ts';
import { type FoundLog, type LeftLog, LogStore } from './log-store.ts';
import { UNFINISHED_SUFFIX, writeWhole } from './write-whole.ts';

const READ_AT_ONCE = 16;

/** The segments on disk. A failed change rejects with the system's error, and has changed nothing. */
export class FileStore {
  readonly segments: SealedSegments;
  readonly #folder: string;
  readonly #catalogue: Catalogue;
  readonly #logs: LogStore;
  readonly #log: (entry: string) => void;

  private constructor(
    folder: string,
    catalogue: Catalogue,
    logs: LogStore,
    cacheBytes: number,
    log: (entry: string) => void,
  ) {
    this.#folder = folder;
    this.#catalogue = catalogue;
    this.#logs = logs;
    this.#log = log;
    this.segments = new SealedSegments((period) => new FileBytes(segmentFile(folder, period)), cacheBytes, log);
    const keptSince = catalogue.keptSince();
    if (keptSince !== undefined) this.segments.keepSince(keptSince);
  }

  /** Completes the catalogue from the footers on disk. */
  static async open(
    folder: string,
    cacheBytes: number,
    log: (entry: string) => void,
  ): Promise<{ readonly store: FileStore; readonly found: readonly FoundLog[] }> {
    const segments = join(folder, 'segments');
    await mkdir(segments, { recursive: true, mode: 0o700 });
    const catalogue = new Catalogue(join(folder, 'catalogue.sqlite'), log);
    try {
      const logs = await LogStore.open(folder);
      const store = new FileStore(segments, catalogue, logs.store, cacheBytes, log);
      await store.#load(logs);
      return { store, found: logs.found };
    } catch (failure) {
      catalogue.close();
      throw failure;
    }
  }

  get logBytes(): number {
    return this.#logs.bytes;
  }

  append(entry: LogEntry): Promise<void> {
    return this.#logs.append(entry);
  }

  /** fsyncs appended entries. */
  sync(): Promise<void> {
    return this.#logs.sync();
  }

  async seal(period: LayerPeriod, rows: Rows, isWhole: boolean): Promise<void> {
    await writeWhole(segmentFile(this.#folder, period), await segmentBytes(period, rows, isWhole));
    const entry = await this.#entryOnDisk(period);
    this.segments.add(entry);
    this.#record(() => this.#catalogue.put([entry]));
  }

  deleteEntries(start: UpstreamInstant): Promise<void> {
    return this.#logs.delete(start);
  }

  /** Deletes the oldest first. `bytes` is the size of the remaining segments. */
  async deleteWhile(isToGo: (oldest: SegmentEntry, bytes: number) => boolean): Promise<void> {
    for (const entry of [...this.segments.all()]) {
      if (!isToGo(entry, this.segments.bytes)) return;
      if (await this.#isLeft(entry)) continue;
      // The row is deleted first: a row without a file counts as lost, not as deleted.
      const end = addMs(entry.start, PERIOD_MS);
      this.segments.keepSince(end);
      this.#record(() => this.#catalogue.remove(entry, end));
      this.segments.remove(entry);
      await deleteSegment(this.#folder, entry);
    }
  }

  async close(): Promise<void> {
    await this.#logs.close();
    this.#catalogue.close();
  }

  async #load({
    found,
    left,
  }: {
    readonly found: readonly FoundLog[];
    readonly left: readonly LeftLog[];
  }): Promise<void> {
    const known = new Map(this.#catalogue.entries().map((entry) => [periodKey(entry), entry]));
    const hadRows = known.size > 0;
    const onDisk = await listSegments(this.#folder);
    const unknown = [...onDisk].filter(([key]) => known.get(key)?.isReadable !== true);
    const read = await mapConcurrently(READ_AT_ONCE, unknown, ([, period]) => this.#readEntry(period));
    const lost = [...known.values()].filter((entry) => !onDisk.has(periodKey(entry)));
    for (const entry of lost) {
      this.segments.reportOnce(segmentFile(this.#folder, entry), new Error('the file is missing'));
    }
    const changed = [...read, ...lost.filter(({ isReadable }) => isReadable).map((entry) => unreadableEntry(entry, 0))];
    for (const entry of changed) known.set(periodKey(entry), entry);
    for (const entry of [...known.values()].sort((a, b) => compareInstants(a.start, b.start))) this.segments.add(entry);
    for (const { start, file, version } of left) {
      const periods = LAYERS.map((layer) => ({ layer, start })).filter((period) => !this.segments.get(period));
      this.segments.leave(file, version, periods);
    }
    if (changed.length === 0) return;
    this.#log(`past: the catalogue is brought to what is on disk: ${changed.length} of ${known.size} segments`);
    this.#record(() => this.#catalogue.put(changed));
    if (hadRows) return;
    // The lost catalogue had the time of the last deletion. The oldest segment stands in for it.
    const oldest = [...changed, ...found, ...left].map(({ start }) => start).sort(compareInstants)[0]!;
    this.segments.keepSince(oldest);
    this.#record(() => this.#catalogue.keepSince(oldest));
  }

  async #readEntry(period: LayerPeriod): Promise<SegmentEntry> {
    try {
      return await this.#entryOnDisk(period);
    } catch (failure) {
      const error = failure instanceof Error ? failure : new Error(String(failure));
      const file = segmentFile(this.#folder, period);
      const isLeft = error instanceof OtherVersion;
      if (isLeft) this.segments.leave(file, error, []);
      else this.segments.reportOnce(file, error);
      return { ...unreadableEntry(period, 0), isLeft };
    }
  }

  /** The catalogue of another Lookout may know it as readable. */
  async #isLeft(entry: SegmentEntry): Promise<boolean> {
    if (entry.isLeft) return true;
    try {
      await this.#entryOnDisk(entry);
    } catch (failure) {
      if (!(failure instanceof OtherVersion)) return false;
      this.segments.leave(segmentFile(this.#folder, entry), failure, [entry]);
      return true;
    }
    return false;
  }

  async #entryOnDisk(period: LayerPeriod): Promise<SegmentEntry> {
    const bytes = new FileBytes(segmentFile(this.#folder, period));
    try {
      return await readEntry(bytes, await bytes.size(), period);
    } finally {
      await bytes.close();
    }
  }

  /** Changes the catalogue. A failure is logged only: the next start can rebuild it. */
  #record(change: () => void): void {
    try {
      change();
    } catch (failure) {
      this.#log(`past: the catalogue could not be written: ${errorMessage(failure)}`);
    }
  }
}

const EXTENSION = '.segment';

/** The path of a segment, such as `20261123/adsb-20261123T032000Z.segment`. */
export function segmentFile(folder: string, { layer, start }: LayerPeriod): string {
  const name = periodName(start);
  return join(folder, name.slice(0, 8), `${layer}-${name}${EXTENSION}`);
}

/** Deletes unfinished files of an earlier process. */
export async function listSegments(folder: string): Promise<Map<string, LayerPeriod>> {
  const found = new Map<string, LayerPeriod>();
  for (const day of await readdir(folder, { withFileTypes: true })) {
    if (!day.isDirectory()) continue;
    for (const name of await readdir(join(folder, day.name))) {
      if (name.endsWith(UNFINISHED_SUFFIX) && periodOfFile(name.slice(0, -UNFINISHED_SUFFIX.length)))
        await rm(join(folder, day.name, name), { force: true });
      const period = periodOfFile(name);
      if (period && segmentFile(folder, period) === join(folder, day.name, name)) found.set(periodKey(period), period);
    }
  }
  return found;
}

async function deleteSegment(folder: string, period: LayerPeriod): Promise<void> {
  const file = segmentFile(folder, period);
  await rm(file, { force: true });
  await rmdir(dirname(file)).catch(() => undefined);
}

function periodOfFile(name: string): LayerPeriod | undefined {
  const [, layer, time] = /^(adsb|rid)-(\w+)\.segment$/.exec(name) ?? [];
  const start = periodNamed(time ?? '');
  return start === undefined ? undefined : { layer: layer as Layer, start };
}
