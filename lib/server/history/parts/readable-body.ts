import 'server-only';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { decodeFrame } from '#lib/codec/frame.ts';

const inflate = promisify(inflateRaw);

/** Many times a page: a foreign row must not fill the memory. */
const OBSERVATIONS_MAX_BYTES = 16 * 1024 * 1024;

/** Stored bodies go to browsers unchanged. */
export async function isReadableBody(body: Uint8Array, records: number): Promise<boolean> {
  try {
    const { count } = decodeFrame(await inflate(body, { maxOutputLength: OBSERVATIONS_MAX_BYTES })).records;
    // Fewer where the upstream sent an observation twice.
    return count <= records;
  } catch {
    return false;
  }
}
