import { DamagedBytes } from '#lib/columns/bytes.ts';
import { RECORD_FIELDS } from '#lib/model/record-fields.ts';
import { textHash } from './records.ts';

/** Increment when the same fields are encoded differently. */
const REVISION = 3;

/** A hash of 16 bits over the table of fields, so bytes with other fields, order or steps are rejected. */
export const FORMAT_VERSION = textHash(JSON.stringify([REVISION, RECORD_FIELDS])) & 0xffff;

const VERSION_BYTES = 2;

export function versioned(...pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, VERSION_BYTES));
  new DataView(bytes.buffer).setUint16(0, FORMAT_VERSION);
  let at = VERSION_BYTES;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes;
}

/** @throws Error for another version, DamagedBytes for none */
export function unversioned(bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength < VERSION_BYTES) throw new DamagedBytes('the bytes are truncated');
  const version = new DataView(bytes.buffer, bytes.byteOffset).getUint16(0);
  if (version !== FORMAT_VERSION) throw new Error('these bytes are of another version of the format');
  return bytes.subarray(VERSION_BYTES);
}
