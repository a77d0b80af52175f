import { promisify } from 'node:util';
import { constants, crc32, zstdCompress, zstdDecompressSync } from 'node:zlib';
import { DamagedBytes } from '#lib/columns/bytes.ts';

/** Level 6 saves 3% more and takes three times as long; level 1 saves no time. */
const LEVEL = 3;
/** Damaged bytes cannot take more memory. */
const UNZIPPED_MAX_BYTES = 1 << 28;

/** Most parts fit into one piece, which avoids joining. */
const PIECE_BYTES = 16 * 1024;

const compress = promisify(zstdCompress);

/** Compresses on a thread of libuv's pool. */
export function zip(bytes: Uint8Array): Promise<Uint8Array> {
  return compress(bytes, { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } });
}

/** Decompresses at once, since another thread would take as long. @throws DamagedBytes */
export function unzipChecked(zipped: Uint8Array, crc: number): Uint8Array {
  requireCrc(zipped, crc);
  try {
    return zstdDecompressSync(zipped, { maxOutputLength: UNZIPPED_MAX_BYTES, chunkSize: PIECE_BYTES });
  } catch (failure) {
    throw new DamagedBytes(`it cannot be decompressed (${failure instanceof Error ? failure.message : failure})`);
  }
}

/** @throws DamagedBytes unless the checksum is that of the bytes */
export function requireCrc(bytes: Uint8Array, crc: number): void {
  if (crc32(bytes) !== crc) throw new DamagedBytes('its checksum is wrong');
}
