import 'server-only';

/** Bytes of a file, both ends included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * What a Range header asks for of so many bytes (RFC 9110 §14): `whole` without one or with a unit that is not bytes, `none` where it
 * asks for nothing that is there. Several ranges are `none` too: nobody who reads a map asks for them.
 */
export function requestedBytes(header: string | null, size: number): ByteRange | 'whole' | 'none' {
  if (header === null || !/^\s*bytes\s*=/i.test(header)) return 'whole';
  const [, from = '', to = ''] = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header) ?? [];
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length > 0 ? { first: size - length, last: size - 1 } : 'none';
  }
  const first = Number(from);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return first <= last ? { first, last } : 'none';
}
