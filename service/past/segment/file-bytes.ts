import { type FileHandle, open } from 'node:fs/promises';
import { DamagedBytes } from '#lib/columns/damaged-bytes.ts';

export class FileBytes {
  readonly name: string;
  #handle: Promise<FileHandle> | undefined;

  constructor(file: string) {
    this.name = file;
  }

  async size(): Promise<number> {
    return (await (await this.#open()).stat()).size;
  }

  /** Rejects with DamagedBytes if there are fewer, or with the system's error. */
  async read(offset: number, length: number): Promise<Uint8Array> {
    const handle = await this.#open();
    const bytes = Buffer.allocUnsafeSlow(length);
    for (let at = 0; at < length; ) {
      const { bytesRead } = await handle.read(bytes, at, length - at, offset + at);
      if (bytesRead === 0) throw new DamagedBytes('it ends too early');
      at += bytesRead;
    }
    return bytes;
  }

  async close(): Promise<void> {
    const handle = await this.#handle?.catch(() => undefined);
    await handle?.close();
  }

  #open(): Promise<FileHandle> {
    this.#handle ??= open(this.name, 'r');
    return this.#handle;
  }
}
