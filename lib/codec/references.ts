import type { ByteReader } from '#lib/columns/byte-reader.ts';
import { readPlanes, writePlanes } from '#lib/columns/planes.ts';
import { unzigzag, zigzag } from '#lib/columns/zigzag.ts';

/** The contract's Position: public_track_id. References of another form are written whole. */
const DIGITS = /[0-9A-F]{16}$/;

export interface ReferenceTexts {
  readonly prefixes: readonly string[];
  readonly wholes: readonly string[];
}

export function referenceTexts(refs: readonly string[]): ReferenceTexts {
  const [prefixes, wholes] = [new Set<string>(), new Set<string>()];
  for (const ref of refs) {
    if (DIGITS.test(ref)) prefixes.add(ref.slice(0, -16));
    else wholes.add(ref);
  }
  return { prefixes: [...prefixes], wholes: [...wholes] };
}

/** Byte planes of the texts' indexes and of the digits in two 32-bit halves, the upper ones as differences. */
export function writeReferences(refs: readonly string[], { prefixes, wholes }: ReferenceTexts): Uint8Array[] {
  const indexes = new Map(prefixes.map((text, index) => [text, index]));
  const wholeIndexes = new Map(wholes.map((text, index) => [text, prefixes.length + index]));
  const [texts, high, low] = [new Uint32Array(refs.length), new Uint32Array(refs.length), new Uint32Array(refs.length)];
  let last = 0;
  for (const [index, ref] of refs.entries()) {
    const whole = wholeIndexes.get(ref);
    if (whole !== undefined) texts[index] = whole;
    else {
      texts[index] = indexes.get(ref.slice(0, -16))!;
      const upper = Number.parseInt(ref.slice(-16, -8), 16);
      high[index] = zigzag((upper - last) | 0);
      low[index] = Number.parseInt(ref.slice(-8), 16);
      last = upper;
    }
  }
  return [texts, high, low].map(writePlanes);
}

/** @throws DamagedBytes */
export function readReferences(reader: ByteReader, count: number, { prefixes, wholes }: ReferenceTexts): string[] {
  const [texts, high, low] = [readPlanes(reader, count), readPlanes(reader, count), readPlanes(reader, count)];
  let upper = 0;
  return Array.from(texts, (text, index) => {
    if (text >= prefixes.length) return String(wholes[text - prefixes.length]);
    upper = (upper + unzigzag(high[index]!)) >>> 0;
    return prefixes[text] + hexadecimal(upper) + hexadecimal(low[index]!);
  });
}

function hexadecimal(half: number): string {
  return half.toString(16).toUpperCase().padStart(8, '0');
}
