import 'server-only';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';

const deflate = promisify(deflateRaw);

/**
 * Compressed, in memory of exactly its length. What zlib answers is often a view of a chunk of 64 KiB, all of which would stay in memory with whoever
 * keeps the few bytes.
 */
export async function deflated(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await deflate(bytes));
}
