/** Bytes of whole numbers from 0 to 2^53 − 1, each as a little-endian base-128 varint, one after the other. */
export function encodeVarints(values: Iterable<number>): Uint8Array {
  const bytes: number[] = [];
  for (const value of values) {
    let rest = value;
    while (rest >= 0x80) {
      bytes.push((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    bytes.push(rest);
  }
  return Uint8Array.from(bytes);
}
