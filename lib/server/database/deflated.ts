import 'server-only';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';

const deflate = promisify(deflateRaw);

/** Frames are small planes with different statistics: zlib adapts to each with small blocks, and saves 3%. */
const MEMORY_LEVEL = 3;

/** Copied, since zlib's answer often keeps a chunk of 64 KiB in memory. */
export async function deflated(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await deflate(bytes, { memLevel: MEMORY_LEVEL }));
}
