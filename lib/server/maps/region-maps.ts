import 'server-only';
import { type FileHandle, open } from 'node:fs/promises';
import { ApiError } from '#lib/api/error-code.ts';
import type { ByteRange } from './byte-range.ts';
import { fileVersion, mapFileProblem } from './map-file.ts';
import { type ConfiguredMap, mapsIn } from './map-setting.ts';

const CHUNK_BYTES = 1024 * 1024;

export interface MapFile {
  readonly size: number;
  readonly version: string;
}

/**
 * The map files of this server, by name: which there are, and parts of them. Each read opens its file, since files may
 * change at any time. It never answers with parts of two versions, and operators see no paths.
 */
export class RegionMaps {
  readonly #configured: readonly ConfiguredMap[];
  readonly #folder: string;
  readonly #looked = new Map<string, { readonly version: string; readonly problem: string | undefined }>();

  constructor(configured: readonly ConfiguredMap[], folder: string) {
    this.#configured = configured;
    this.#folder = folder;
  }

  get names(): readonly string[] {
    return [...new Set([...this.#configured, ...mapsIn(this.#folder)].map(({ name }) => name))];
  }

  #fileOf(name: string): string | undefined {
    const called = (map: ConfiguredMap) => map.name === name;
    return (this.#configured.find(called) ?? mapsIn(this.#folder).find(called))?.file;
  }

  /** @throws ApiError if no such map exists, or its file is none now */
  async find(name: string): Promise<MapFile> {
    return this.#opened(name, async (handle) => this.#state(name, handle));
  }

  /** @throws Error once the file is another, since the sent part is then useless */
  async *read(name: string, { version }: MapFile, { first, last }: ByteRange): AsyncGenerator<Uint8Array> {
    for (let at = first; at <= last; at += CHUNK_BYTES) {
      const length = Math.min(CHUNK_BYTES, last - at + 1);
      yield await this.#opened(name, async (handle) => {
        const bytes = Buffer.alloc(length);
        const { bytesRead } = await handle.read(bytes, 0, length, at);
        // The version is compared after reading, since the file may also change meanwhile.
        if (bytesRead < length || fileVersion(await handle.stat({ bigint: true })) !== version)
          throw unavailable(name, 'was replaced while it was read');
        return bytes;
      });
    }
  }

  async #opened<T>(name: string, use: (handle: FileHandle) => Promise<T>): Promise<T> {
    const file = this.#fileOf(name);
    if (file === undefined) throw new ApiError('not_found', 'There is no map of that name; reload the page.');
    let handle: FileHandle;
    try {
      handle = await open(file);
    } catch (error) {
      throw unavailable(
        name,
        `cannot be read (${error instanceof Error && 'code' in error ? error.code : 'unknown error'})`,
      );
    }
    try {
      return await use(handle);
    } finally {
      await handle.close();
    }
  }

  async #state(name: string, handle: FileHandle): Promise<MapFile> {
    const stat = await handle.stat({ bigint: true });
    const size = Number(stat.size);
    const version = fileVersion(stat);
    let looked = this.#looked.get(name);
    if (looked?.version !== version) {
      const problem = stat.isFile() ? mapFileProblem(handle.fd, size) : 'is not a file';
      looked = { version, problem };
      this.#looked.set(name, looked);
    }
    if (looked.problem !== undefined) throw unavailable(name, looked.problem);
    return { size, version };
  }
}

/** Operators see only names, no paths. */
function unavailable(name: string, problem: string): ApiError {
  return new ApiError('map_unavailable', `The file of the map “${name}” ${problem}.`);
}
