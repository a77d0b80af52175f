import 'server-only';

/** Bytes, with both ends included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * `whole`: no header, or another unit than bytes (RFC 9110 §14). `none`: no such byte, or several ranges, which no map
 * reader requests.
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
