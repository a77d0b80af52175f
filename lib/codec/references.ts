import { type ByteReader, DamagedBytes } from '#lib/columns/bytes.ts';
import { readDifferences, readPlanes, writeDifferences, writePlanes } from '#lib/columns/column.ts';

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
  const [texts, high, low] = [new Uint32Array(refs.length), new Int32Array(refs.length), new Uint32Array(refs.length)];
  let upper = 0;
  for (const [index, ref] of refs.entries()) {
    const whole = wholeIndexes.get(ref);
    if (whole !== undefined) texts[index] = whole;
    else {
      texts[index] = indexes.get(ref.slice(0, -16))!;
      upper = Number.parseInt(ref.slice(-16, -8), 16);
      low[index] = Number.parseInt(ref.slice(-8), 16);
    }
    high[index] = upper;
  }
  return [writePlanes(texts), writeDifferences(high), writePlanes(low)];
}

/** @throws DamagedBytes */
export function readReferences(reader: ByteReader, count: number, { prefixes, wholes }: ReferenceTexts): string[] {
  const [texts, high, low] = [readPlanes(reader, count), readDifferences(reader, count), readPlanes(reader, count)];
  return Array.from(texts, (text, index) => {
    const prefix = prefixes[text];
    if (prefix !== undefined) return prefix + hexadecimal(high[index]! >>> 0) + hexadecimal(low[index]!);
    const whole = wholes[text - prefixes.length];
    if (whole === undefined) throw new DamagedBytes('a reference without a text');
    return whole;
  });
}

function hexadecimal(half: number): string {
  return half.toString(16).toUpperCase().padStart(8, '0');
}
