import { type FileHandle, open } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { ByteCache } from '../byte-cache.ts';
import { requireCrc, unzipChecked } from '../columns/checked-zstd.ts';
import {
  type PartName,
  type Places,
  type Reports,
  readPlaces,
  readReports,
  readTimes,
  type Times,
} from '../columns/chunk.ts';
import { DamagedBytes } from '../columns/damaged-bytes.ts';
import { type Dictionary, readDictionary } from '../columns/dictionary.ts';
import type { LayerPeriod } from '../period.ts';
import { type Block, type Footer, footerLength, readFooter, TRAILER_BYTES } from './footer.ts';

/** How much of the file's end is read at once: the footer of 75 chunks, of 300,000 rows. */
const TAIL_BYTES = 4096;
/** Blocks that are no further apart are read together. */
const GAP_BYTES = 64 * 1024;
/** A segment up to this size is read as a whole: one reading costs less than one for each of its parts. */
const WHOLE_MAX_BYTES = 1_000_000;
/** After this long other work has its turn. */
const BLOCKING_MAX_MS = 5;

interface Parts {
  readonly times: Times;
  readonly places: Places;
  readonly reports: Reports;
}
const ROW_BYTES: Readonly<Record<PartName, number>> = { times: 4, places: 8, reports: 36 };

/**
 * Reads one segment for one question. It opens the file only for what is not in the cache. Nothing it returns may be
 * changed.
 */
export class SegmentReader {
  readonly file: string;
  readonly #period: LayerPeriod;
  readonly #fileBytes: number;
  readonly #isReadWhole: boolean;
  readonly #cache: ByteCache;
  #handle: Promise<FileHandle> | undefined;
  #whole: Promise<Uint8Array> | undefined;

  constructor(
    file: string,
    { bytes, ...period }: LayerPeriod & { readonly bytes: number },
    cache: ByteCache,
    wholeMaxBytes = WHOLE_MAX_BYTES,
  ) {
    this.file = file;
    this.#isReadWhole = bytes <= wholeMaxBytes;
    this.#period = period;
    this.#fileBytes = bytes;
    this.#cache = cache;
  }

  async footer(): Promise<Footer> {
    return this.#cached('footer', async () => {
      const footer = this.#isReadWhole
        ? footerIn(await this.#readWhole(), this.#fileBytes)
        : await readFooterOf(await this.#open());
      if (footer.layer !== this.#period.layer || footer.start !== this.#period.start) {
        throw new DamagedBytes('it is another segment than its name says');
      }
      return [footer, 200 + 400 * footer.chunks.length];
    });
  }

  async dictionary(footer: Footer): Promise<Dictionary> {
    return this.#cached('dictionary', async () => {
      const [bytes] = await this.#read([footer.dictionary]);
      requireCrc(bytes!, footer.dictionary.crc);
      return [readDictionary(bytes!), bytes!.length + 200];
    });
  }

  /**
   * Reads one part of each of the chunks, of which the places and reports need the times. A chunk that is damaged or can't be
   * read gives what was thrown.
   */
  async parts<Name extends PartName>(
    name: Name,
    footer: Footer,
    chunks: readonly number[],
    times?: ReadonlyMap<number, Times>,
  ): Promise<Map<number, Parts[Name] | Error>> {
    const found = new Map<number, Parts[Name] | Error>();
    const missing: number[] = [];
    for (const chunk of chunks) {
      const cached = this.#cache.get(this.#key(`${name} ${chunk}`)) as Parts[Name] | undefined;
      if (cached) found.set(chunk, cached);
      else missing.push(chunk);
    }
    if (missing.length === 0) return found;
    const blocks = missing.map((chunk) => footer.chunks[chunk]!.parts[name]);
    const zipped = await this.#read(blocks).catch((failure: unknown) => asError(failure));
    let since = performance.now();
    for (const [index, chunk] of missing.entries()) {
      if (performance.now() - since > BLOCKING_MAX_MS) {
        await setImmediate();
        since = performance.now();
      }
      try {
        if (zipped instanceof Error) throw zipped;
        const bytes = unzipChecked(zipped[index]!, blocks[index]!.crc);
        const { count } = footer.chunks[chunk]!;
        const part = decode(name, bytes, count, times?.get(chunk)) as Parts[Name];
        this.#cache.set(this.#key(`${name} ${chunk}`), part, 200 + count * ROW_BYTES[name]);
        found.set(chunk, part);
      } catch (failure) {
        found.set(chunk, asError(failure));
      }
    }
    return found;
  }

  async close(): Promise<void> {
    const handle = await this.#handle?.catch(() => undefined);
    await handle?.close();
  }

  #open(): Promise<FileHandle> {
    this.#handle ??= open(this.file, 'r');
    return this.#handle;
  }

  #readWhole(): Promise<Uint8Array> {
    this.#whole ??= this.#open().then((handle) => readAt(handle, 0, this.#fileBytes));
    return this.#whole;
  }

  #key(what: string): string {
    return `${this.file} ${what}`;
  }

  async #cached<Value extends object>(what: string, read: () => Promise<[Value, number]>): Promise<Value> {
    const cached = this.#cache.get(this.#key(what)) as Value | undefined;
    if (cached) return cached;
    const [value, bytes] = await read();
    this.#cache.set(this.#key(what), value, bytes);
    return value;
  }

  /** Reads blocks, which are in the order of the file. */
  async #read(blocks: readonly Block[]): Promise<Uint8Array[]> {
    if (this.#isReadWhole) {
      const whole = await this.#readWhole();
      return blocks.map(({ offset, length }) => whole.subarray(offset, offset + length));
    }
    const handle = await this.#open();
    const contents: Uint8Array[] = [];
    for (let first = 0; first < blocks.length; ) {
      let next = first + 1;
      while (next < blocks.length && blocks[next]!.offset - endOf(blocks[next - 1]!) <= GAP_BYTES) next += 1;
      const from = blocks[first]!.offset;
      const bytes = await readAt(handle, from, endOf(blocks[next - 1]!) - from);
      for (const { offset, length } of blocks.slice(first, next)) {
        contents.push(bytes.subarray(offset - from, offset - from + length));
      }
      first = next;
    }
    return contents;
  }
}

/** Reads the footer of an open segment. Rejects with DamagedBytes. */
export async function readFooterOf(handle: FileHandle): Promise<Footer> {
  const { size } = await handle.stat();
  const tail = await readAt(handle, Math.max(0, size - TAIL_BYTES), Math.min(size, TAIL_BYTES));
  const length = footerLengthIn(tail, size);
  return footerIn(length > tail.length ? await readAt(handle, size - length, length) : tail, size);
}

/** The footer at the end of these bytes, which are the end of a file of `fileBytes`. Throws DamagedBytes. */
function footerIn(bytes: Uint8Array, fileBytes: number): Footer {
  return readFooter(bytes.subarray(bytes.length - footerLengthIn(bytes, fileBytes)), fileBytes);
}

/** With its trailer. Throws DamagedBytes. */
function footerLengthIn(bytes: Uint8Array, fileBytes: number): number {
  if (bytes.length < TRAILER_BYTES) throw new DamagedBytes('it is too short');
  const length = footerLength(bytes.subarray(-TRAILER_BYTES)) + TRAILER_BYTES;
  if (length > fileBytes) throw new DamagedBytes('its footer is longer than the file');
  return length;
}

function decode(name: PartName, bytes: Uint8Array, count: number, times: Times | undefined): Times | Places | Reports {
  if (name === 'times') return readTimes(bytes, count);
  return name === 'places' ? readPlaces(bytes, times!) : readReports(bytes, times!);
}

async function readAt(handle: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await handle.read(bytes, at, length - at, offset + at);
    if (bytesRead === 0) throw new DamagedBytes('it ends too early');
    at += bytesRead;
  }
  return bytes;
}

function endOf({ offset, length }: Block): number {
  return offset + length;
}

function asError(failure: unknown): Error {
  return failure instanceof Error ? failure : new Error(String(failure));
}
