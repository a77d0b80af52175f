import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { type LogEntry, type ReadLog, readLog, writeEntry } from '../log-entry.ts';
import { periodName, periodNamed } from '../period.ts';
import { LogFile } from './log-file.ts';

const EXTENSION = '.log';

/** One file for each period, of both layers. */
export class LogStore {
  readonly #folder: string;
  readonly #goodBytes = new Map<number, number>();
  readonly #files = new Map<number, LogFile>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(folder: string): Promise<{ readonly store: LogStore; readonly found: readonly FoundLog[] }> {
    const store = new LogStore(join(folder, 'log'));
    await mkdir(store.#folder, { recursive: true, mode: 0o700 });
    const found: FoundLog[] = [];
    for (const name of (await readdir(store.#folder)).sort()) {
      const start = name.endsWith(EXTENSION) ? periodNamed(name.slice(0, -EXTENSION.length)) : undefined;
      if (start === undefined) continue;
      const bytes = await readFile(join(store.#folder, name));
      const log = readLog(bytes);
      store.#goodBytes.set(epochMs(start), log.goodBytes);
      found.push({ ...log, start, file: join(store.#folder, name), cutBytes: bytes.length - log.goodBytes });
    }
    return { store, found };
  }

  get bytes(): number {
    let bytes = 0;
    for (const good of this.#goodBytes.values()) bytes += good;
    return bytes;
  }

  /** Rejects with the file system's error; then nothing was appended. */
  async append(entry: LogEntry): Promise<void> {
    const bytes = await writeEntry(entry);
    const start = epochMs(entry.period.start);
    try {
      const file = this.#files.get(start) ?? (await this.#open(entry.period.start));
      await file.append(bytes);
      this.#goodBytes.set(start, file.bytes);
    } catch (failure) {
      // The disk may be mounted again by then.
      await this.#close(start);
      throw failure;
    }
  }

  /** fsyncs appended entries. */
  async sync(): Promise<void> {
    await Promise.all(Array.from(this.#files.values(), (file) => file.sync()));
  }

  async delete(start: UpstreamInstant): Promise<void> {
    await this.#close(epochMs(start));
    await rm(this.#file(start), { force: true });
    this.#goodBytes.delete(epochMs(start));
  }

  async close(): Promise<void> {
    for (const start of [...this.#files.keys()]) await this.#close(start);
  }

  async #open(start: UpstreamInstant): Promise<LogFile> {
    const file = await LogFile.open(this.#file(start), this.#goodBytes.get(epochMs(start)) ?? 0);
    this.#files.set(epochMs(start), file);
    return file;
  }

  async #close(start: number): Promise<void> {
    const file = this.#files.get(start);
    this.#files.delete(start);
    await file?.close();
  }

  #file(start: UpstreamInstant): string {
    return join(this.#folder, periodName(start) + EXTENSION);
  }
}

export interface FoundLog extends ReadLog {
  readonly start: UpstreamInstant;
  readonly file: string;
  readonly cutBytes: number;
}
