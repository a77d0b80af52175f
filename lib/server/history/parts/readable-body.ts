import 'server-only';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { decodeFrame } from '#lib/codec/frame.ts';

const inflate = promisify(inflateRaw);

/** Many times what a page of the upstream has: a foreign row must not fill the memory. */
const OBSERVATIONS_MAX_BYTES = 16 * 1024 * 1024;

/** A stored body goes to browsers unchanged. @returns whether it can be decoded to its end, and has no more than that many records */
export async function isReadableBody(body: Uint8Array, records: number): Promise<boolean> {
  try {
    const { count } = decodeFrame(await inflate(body, { maxOutputLength: OBSERVATIONS_MAX_BYTES })).records;
    // Fewer where the upstream sent an observation twice.
    return count <= records;
  } catch {
    return false;
  }
}
