import { type FileHandle, open } from 'node:fs/promises';
import type { RangeResponse, Source } from 'pmtiles';

/** A file on disk as a source of the pmtiles reader. Close it after use. */
export class FileSource implements Source {
  private readonly handle: FileHandle;
  private readonly path: string;

  private constructor(handle: FileHandle, path: string) {
    this.handle = handle;
    this.path = path;
  }

  static async open(path: string): Promise<FileSource> {
    return new FileSource(await open(path), path);
  }

  getKey(): string {
    return this.path;
  }

  async getBytes(offset: number, length: number): Promise<RangeResponse> {
    const buffer = new Uint8Array(length);
    const { bytesRead } = await this.handle.read(buffer, 0, length, offset);
    return { data: buffer.buffer.slice(0, bytesRead) };
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}
