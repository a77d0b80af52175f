import { chmod, mkdir } from 'node:fs/promises';
import { LAYERS } from '#lib/contract/operation.ts';
import type { Past, PastState } from '../past.ts';
import { PastContents } from '../past-contents.ts';
import { PastRecorder, type RecorderOptions } from '../past-recorder.ts';
import { FileStore } from './file-store.ts';
import type { FoundLog } from './log-store.ts';

export interface EmbeddedPastOptions extends RecorderOptions {
  readonly folder: string;
  /** The memory for parts of segments. Default 64 MB. */
  readonly cacheBytes?: number;
}

const DEFAULT_CACHE_BYTES = 64_000_000;

/**
 * The past in a folder, for one process: a log for each open period, and a segment for each sealed one. It survives a
 * kill and a power cut up to the last sync, and never answers for what it could not read.
 */
export class EmbeddedPast implements Past {
  readonly #store: FileStore;
  readonly #contents: PastContents;
  readonly #recorder: PastRecorder;
  #closing: Promise<void> | undefined;

  private constructor(store: FileStore, options: EmbeddedPastOptions) {
    this.#store = store;
    this.#contents = new PastContents(store.segments);
    this.#recorder = new PastRecorder(this.#contents, store, options);
  }

  /** @throws Error if another process uses the folder, or it can't be used */
  static async open(options: EmbeddedPastOptions): Promise<EmbeddedPast> {
    const { folder, cacheBytes = DEFAULT_CACHE_BYTES, log } = options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
    const { store, found } = await FileStore.open(folder, cacheBytes, log);
    try {
      const past = new EmbeddedPast(store, options);
      for (const each of found) await past.#takeBack(each, log);
      past.#recorder.start();
      return past;
    } catch (failure) {
      await store.close();
      throw failure;
    }
  }

  append: Past['append'] = (observations) => this.#recorder.append(observations);

  flush: Past['flush'] = () => this.#recorder.flush();

  history: Past['history'] = (...asked) => this.#contents.history(...asked);

  historyTimes: Past['historyTimes'] = (...asked) => this.#contents.historyTimes(...asked);

  oldestAt: Past['oldestAt'] = () => this.#contents.oldestAt();

  keptSince: Past['keptSince'] = () => this.#contents.segments.keptSince;

  state(): PastState {
    const { segments } = this.#contents;
    return {
      problem: this.#recorder.problem,
      oldestAt: this.oldestAt(),
      bytes: segments.bytes + this.#store.logBytes,
      segments: segments.count,
      damagedSegments: segments.damaged,
      overdue: this.#recorder.overdue,
      dropped: this.#recorder.dropped,
    };
  }

  /** See `PastRecorder`. Runs by itself each second. */
  maintain(): Promise<void> {
    return this.#recorder.maintain();
  }

  close(): Promise<void> {
    this.#closing ??= this.#recorder.close().then(() => this.#store.close());
    return this.#closing;
  }

  async #takeBack(
    { start, file, entries, isDamaged, cutBytes }: FoundLog,
    log: (entry: string) => void,
  ): Promise<void> {
    const { segments } = this.#contents;
    if (isDamaged) log(`past: ${file} is damaged, and answers over its five minutes are marked as truncated`);
    if (cutBytes > 0) log(`past: ${file}: ${cutBytes} bytes at its end were not written to the end, and are cut off`);
    for (const { period, rows } of entries) {
      if (period.start === start && !segments.get(period)) this.#contents.openPeriod(period).add(rows);
    }
    if (isDamaged) {
      for (const layer of LAYERS) {
        if (!segments.get({ layer, start })) this.#contents.openPeriod({ layer, start }).markDamaged();
      }
    }
    const isNeeded = LAYERS.some((layer) => this.#contents.opened({ layer, start }) !== undefined);
    if (!isNeeded) await this.#store.deleteEntries(start);
  }
}
