import 'server-only';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { decodeObservations } from '#lib/codec/observations.ts';

const inflate = promisify(inflateRaw);

/** Many times what a page of the upstream has: a foreign row must not fill the memory. */
const OBSERVATIONS_MAX_BYTES = 16 * 1024 * 1024;

/** A stored body goes to browsers unchanged. @returns whether it can be decoded to its end, and has no more than that many records */
export async function isReadableBody(body: Uint8Array, records: number): Promise<boolean> {
  try {
    const rounds = decodeObservations(await inflate(body, { maxOutputLength: OBSERVATIONS_MAX_BYTES }));
    // Of observations that came twice one is kept.
    return rounds.reduce((sum, { count }) => sum + count, 0) <= records;
  } catch {
    return false;
  }
}
