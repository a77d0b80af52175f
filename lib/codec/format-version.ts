import { RECORD_FIELDS } from '#lib/model/record-fields.ts';
import { textHash } from './fingerprint.ts';

/** To be raised where the same fields are written as other bytes. */
const REVISION = 2;
const VERSION_BITS = 14;

/**
 * Of all that is written here, on the wire and on disk: 14 bits. It follows from the revision and from the table of fields, so
 * that bytes of a table with another field, order or step are never taken for those of this one.
 */
export const FORMAT_VERSION = textHash(JSON.stringify([REVISION, RECORD_FIELDS])) & ((1 << VERSION_BITS) - 1);

const KINDS = ['full', 'delta', 'observations'] as const;
export type FormatKind = (typeof KINDS)[number];

const TAG_BYTES = 2;

function tagOf(kind: FormatKind): number {
  return (KINDS.indexOf(kind) << VERSION_BITS) | FORMAT_VERSION;
}

/** The pieces one after the other, behind what they are and the version: 2 and 14 bits, big-endian. */
export function tagged(kind: FormatKind, ...pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, TAG_BYTES));
  new DataView(bytes.buffer).setUint16(0, tagOf(kind));
  let at = TAG_BYTES;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes;
}

/** @throws Error where the bytes are something else, or of another version */
export function untagged(kind: FormatKind, bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength < TAG_BYTES) throw new Error('the bytes are cut');
  const difference = new DataView(bytes.buffer, bytes.byteOffset).getUint16(0) ^ tagOf(kind);
  if (difference >> VERSION_BITS !== 0) throw new Error(`these bytes are not of the kind ${kind}`);
  if (difference !== 0) throw new Error('these bytes are of another version of the format');
  return bytes.subarray(TAG_BYTES);
}
