import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { OtherVersion } from '#lib/version/file-version.ts';
import { type LogEntry, logHead, type ReadLog, readLog, writeEntry } from '../log-entry.ts';
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

  static async open(folder: string) {
    const store = new LogStore(join(folder, 'log'));
    await mkdir(store.#folder, { recursive: true, mode: 0o700 });
    const found: FoundLog[] = [];
    const left: LeftLog[] = [];
    for (const name of (await readdir(store.#folder)).sort()) {
      const start = name.endsWith(EXTENSION) ? periodNamed(name.slice(0, -EXTENSION.length)) : undefined;
      if (start === undefined) continue;
      const file = join(store.#folder, name);
      const bytes = await readFile(file);
      try {
        const log = readLog(bytes);
        store.#goodBytes.set(epochMs(start), log.goodBytes);
        found.push({ ...log, start, file, cutBytes: bytes.length - log.goodBytes });
      } catch (failure) {
        if (!(failure instanceof OtherVersion)) throw failure;
        left.push({ start, file, version: failure });
      }
    }
    return { store, found, left } as const;
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
      await file.append(file.bytes === 0 ? Buffer.concat([logHead(), bytes]) : bytes);
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

/** Of another Lookout: never opened. */
export interface LeftLog {
  readonly start: UpstreamInstant;
  readonly file: string;
  readonly version: OtherVersion;
}

export interface FoundLog extends ReadLog {
  readonly start: UpstreamInstant;
  readonly file: string;
  readonly cutBytes: number;
}
