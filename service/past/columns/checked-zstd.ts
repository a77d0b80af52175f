import { promisify } from 'node:util';
import { constants, crc32, zstdCompress, zstdDecompressSync } from 'node:zlib';
import { DamagedBytes } from '#lib/columns/damaged-bytes.ts';

/** Level 6 saves 3% more and takes three times as long; level 1 saves no time. */
const LEVEL = 3;
/** No part of a segment and no entry of the log is longer. Damaged bytes must not take all memory. */
const UNZIPPED_MAX_BYTES = 1 << 28;

/** Most parts fit into one piece of this size, which spares putting pieces together; what is read of a smaller one keeps all of it. */
const PIECE_BYTES = 16 * 1024;

const compress = promisify(zstdCompress);

/** Compresses on a thread of libuv's pool. */
export function zip(bytes: Uint8Array): Promise<Uint8Array> {
  return compress(bytes, { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } });
}

/** Checks and decompresses, which takes about as long as handing it to another thread would. Throws DamagedBytes. */
export function unzipChecked(zipped: Uint8Array, crc: number): Uint8Array {
  requireCrc(zipped, crc);
  try {
    return zstdDecompressSync(zipped, { maxOutputLength: UNZIPPED_MAX_BYTES, chunkSize: PIECE_BYTES });
  } catch (failure) {
    throw new DamagedBytes(`it cannot be decompressed (${failure instanceof Error ? failure.message : failure})`);
  }
}

/** Throws DamagedBytes if the bytes are not those of which this is the CRC-32. */
export function requireCrc(bytes: Uint8Array, crc: number): void {
  if (crc32(bytes) !== crc) throw new DamagedBytes('its checksum is wrong');
}
