import { constants, type FileHandle, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { OtherVersion } from '#lib/version/file-version.ts';
import { type LogEntry, logHead, type ReadLog, readLog, writeEntry } from '../log-entry.ts';
import { periodName, periodNamed } from '../period.ts';

const EXTENSION = '.log';

/**
 * The logs of the periods that are not sealed, one file for both layers of a period. An entry is appended whole or not
 * at all, and survives the machine after `sync`.
 */
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
      // The log is opened again for the next entry, since the disk may be mounted again by then.
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

/** A log of another Lookout, which is never opened. */
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

/** One log. The next write replaces the bytes that a failed one left after the last whole entry. */
class LogFile {
  readonly #handle: FileHandle;
  #bytes: number;
  #isSynced = true;

  private constructor(handle: FileHandle, bytes: number) {
    this.#handle = handle;
    this.#bytes = bytes;
  }

  static async open(file: string, goodBytes: number): Promise<LogFile> {
    const handle = await open(file, constants.O_RDWR | constants.O_CREAT, 0o600);
    const log = new LogFile(handle, goodBytes);
    await log.#cut();
    return log;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Appends the entry whole, or not at all if it rejects. */
  async append(entry: Uint8Array): Promise<void> {
    try {
      for (let at = 0; at < entry.length; ) {
        at += (await this.#handle.write(entry, at, entry.length - at, this.#bytes + at)).bytesWritten;
      }
    } catch (failure) {
      await this.#cut();
      throw failure;
    }
    this.#bytes += entry.length;
    this.#isSynced = false;
  }

  /** fsyncs appended entries. */
  async sync(): Promise<void> {
    if (this.#isSynced) return;
    this.#isSynced = true;
    await this.#handle.datasync();
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #cut(): Promise<void> {
    await this.#handle.truncate(this.#bytes).catch(() => undefined);
  }
}
