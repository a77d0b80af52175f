import { type FileHandle, open } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { DamagedBytes } from '#lib/columns/bytes.ts';
import type { BoxInSteps } from '../box-in-steps.ts';
import type { ByteCache } from '../byte-cache.ts';
import { requireCrc, unzipChecked } from '../columns/checked-zstd.ts';
import {
  type ChunkPart,
  type Dictionary,
  openPlaces,
  openReports,
  openTimes,
  type Places,
  type Reports,
  readDictionary,
  type Times,
} from '../columns/chunk.ts';
import { readTrackBoxes } from '../columns/track-order.ts';
import type { LayerPeriod } from '../period.ts';
import { type Block, type Footer, footerLength, readFooter, TRAILER_BYTES } from './segment-bytes.ts';

/** A first read of a footer: 75 chunks, of 300,000 rows. */
const TAIL_BYTES = 4096;
/** Blocks with a smaller gap between them are read at once. */
const GAP_BYTES = 64 * 1024;
/** Reading a file of this size is cheaper than one read for each part. */
const WHOLE_MAX_BYTES = 1_000_000;
/** Decoding gives way to other work after this time. */
const BLOCKING_MAX_MS = 5;

interface Parts {
  readonly times: Times;
  readonly places: Places;
  readonly reports: Reports;
}
const ROW_BYTES: Readonly<Record<ChunkPart, number>> = { times: 4, places: 8, reports: 36 };

/**
 * Reads a segment by parts, from a cache where it can: a question to an hour of the past reads a few chunks of twelve files.
 * Callers must not change what it returns, since the cache shares it.
 */
export class SegmentReader {
  readonly #bytes: FileBytes;
  readonly #period: LayerPeriod;
  readonly #size: number;
  readonly #isReadWhole: boolean;
  readonly #cache: ByteCache;
  #whole: Promise<Uint8Array> | undefined;

  constructor(
    bytes: FileBytes,
    { bytes: size, ...period }: LayerPeriod & { readonly bytes: number },
    cache: ByteCache,
    wholeMaxBytes = WHOLE_MAX_BYTES,
  ) {
    this.#bytes = bytes;
    this.#isReadWhole = size <= wholeMaxBytes;
    this.#period = period;
    this.#size = size;
    this.#cache = cache;
  }

  async footer(): Promise<Footer> {
    return this.#cached('footer', async () => {
      const footer = this.#isReadWhole
        ? footerIn(await this.#readWhole(), this.#size)
        : await readFooterOf(this.#bytes, this.#size);
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

  async trackBoxes({ trackBoxes }: Footer, { trackCount }: Dictionary): Promise<readonly BoxInSteps[]> {
    return this.#cached('boxes', async () => {
      const [bytes] = await this.#read([trackBoxes]);
      return [readTrackBoxes(unzipChecked(bytes!, trackBoxes.crc), trackCount), 200 + 60 * trackCount];
    });
  }

  /** A damaged or unreadable chunk gives the error. */
  async parts<Name extends ChunkPart>(
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
    const zipped = await this.#read(blocks).catch(asError);
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
        const part = opened(name, bytes, count, times?.get(chunk)) as Parts[Name];
        this.#cache.set(this.#key(`${name} ${chunk}`), part, 200 + bytes.length + count * ROW_BYTES[name]);
        found.set(chunk, part);
      } catch (failure) {
        found.set(chunk, asError(failure));
      }
    }
    return found;
  }

  close(): Promise<void> {
    return this.#bytes.close();
  }

  #readWhole(): Promise<Uint8Array> {
    this.#whole ??= this.#bytes.read(0, this.#size);
    return this.#whole;
  }

  #key(what: string): string {
    return `${this.#bytes.name} ${what}`;
  }

  async #cached<Value extends object>(what: string, read: () => Promise<[Value, number]>): Promise<Value> {
    const cached = this.#cache.get(this.#key(what)) as Value | undefined;
    if (cached) return cached;
    const [value, bytes] = await read();
    this.#cache.set(this.#key(what), value, bytes);
    return value;
  }

  async #read(blocks: readonly Block[]): Promise<Uint8Array[]> {
    if (this.#isReadWhole) {
      const whole = await this.#readWhole();
      return blocks.map(({ offset, length }) => whole.subarray(offset, offset + length));
    }
    const contents: Uint8Array[] = [];
    for (let first = 0; first < blocks.length; ) {
      let next = first + 1;
      while (next < blocks.length && blocks[next]!.offset - endOf(blocks[next - 1]!) <= GAP_BYTES) next += 1;
      const from = blocks[first]!.offset;
      const bytes = await this.#bytes.read(from, endOf(blocks[next - 1]!) - from);
      for (const { offset, length } of blocks.slice(first, next)) {
        contents.push(bytes.subarray(offset - from, offset - from + length));
      }
      first = next;
    }
    return contents;
  }
}

/** A file that is opened at its first read. */
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

/** Rejects with DamagedBytes, OtherVersion, or as the bytes do. */
export async function readFooterOf(bytes: FileBytes, size: number): Promise<Footer> {
  const tail = await bytes.read(Math.max(0, size - TAIL_BYTES), Math.min(size, TAIL_BYTES));
  const length = footerLengthIn(tail, size);
  return footerIn(length > tail.length ? await bytes.read(size - length, length) : tail, size);
}

/** @throws DamagedBytes */
function footerIn(bytes: Uint8Array, size: number): Footer {
  return readFooter(bytes.subarray(bytes.length - footerLengthIn(bytes, size)), size);
}

/** The length with the trailer. Throws DamagedBytes. */
function footerLengthIn(bytes: Uint8Array, size: number): number {
  if (bytes.length < TRAILER_BYTES) throw new DamagedBytes('it is too short');
  const length = footerLength(bytes.subarray(-TRAILER_BYTES)) + TRAILER_BYTES;
  if (length > size) throw new DamagedBytes('its footer is longer than the segment');
  return length;
}

function opened(name: ChunkPart, bytes: Uint8Array, count: number, times: Times | undefined): Times | Places | Reports {
  if (name === 'times') return openTimes(bytes, count);
  return name === 'places' ? openPlaces(bytes, times!) : openReports(bytes, times!);
}

function endOf({ offset, length }: Block): number {
  return offset + length;
}

function asError(failure: unknown): Error {
  return failure instanceof Error ? failure : new Error(String(failure));
}
