import { constants, type FileHandle, open } from 'node:fs/promises';

/** The next write replaces the bytes that a failed one left after the last whole entry. */
export class LogFile {
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

  /** Whole, or not at all if it rejects. */
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
