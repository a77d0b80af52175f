import { RECORD_FIELDS } from '#lib/model/record-fields.ts';
import { textHash } from './fingerprint.ts';

/** Increment when the same fields are encoded differently. */
const REVISION = 2;
const VERSION_BITS = 14;

/**
 * The 14-bit version of the format, on the wire and on disk. It is a hash of the revision and the table of fields, so that
 * bytes written with different fields, order or steps are rejected.
 */
export const FORMAT_VERSION = textHash(JSON.stringify([REVISION, RECORD_FIELDS])) & ((1 << VERSION_BITS) - 1);

const KINDS = ['full', 'delta', 'observations', 'trails'] as const;
export type FormatKind = (typeof KINDS)[number];

const TAG_BYTES = 2;

function tagOf(kind: FormatKind): number {
  return (KINDS.indexOf(kind) << VERSION_BITS) | FORMAT_VERSION;
}

/** Concatenates the pieces after a big-endian 16-bit tag: 2 bits of kind and 14 bits of version. */
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

/** The bytes after the tag. @throws Error if they are of another kind or version */
export function untagged(kind: FormatKind, bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength < TAG_BYTES) throw new Error('the bytes are truncated');
  const difference = new DataView(bytes.buffer, bytes.byteOffset).getUint16(0) ^ tagOf(kind);
  if (difference >> VERSION_BITS !== 0) throw new Error(`these bytes are not of the kind ${kind}`);
  if (difference !== 0) throw new Error('these bytes are of another version of the format');
  return bytes.subarray(TAG_BYTES);
}
