import { DamagedBytes } from '#lib/columns/bytes.ts';

/** A head in JSON before the bodies of an answer: the length of its text in 4 bytes, big-endian, then the text. */
export const HEAD_LENGTH_BYTES = 4;

export function writeHead(head: object): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(head));
  const bytes = new Uint8Array(HEAD_LENGTH_BYTES + text.byteLength);
  new DataView(bytes.buffer).setUint32(0, text.byteLength);
  bytes.set(text, HEAD_LENGTH_BYTES);
  return bytes;
}

/** @param bytes at least `HEAD_LENGTH_BYTES` */
export function readHeadLength(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
}

/** @throws DamagedBytes if it is not JSON */
export function readHead(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new DamagedBytes('a head that is not JSON');
  }
}

/** @throws DamagedBytes if the answer is truncated, or its head is not JSON */
export function splitHead(answer: Uint8Array): { readonly head: unknown; readonly end: number } {
  if (answer.byteLength < HEAD_LENGTH_BYTES) throw new DamagedBytes('the answer is truncated');
  const end = HEAD_LENGTH_BYTES + readHeadLength(answer);
  if (end > answer.byteLength) throw new DamagedBytes('the answer is truncated');
  return { head: readHead(answer.subarray(HEAD_LENGTH_BYTES, end)), end };
}
