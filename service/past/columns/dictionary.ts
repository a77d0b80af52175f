import { ByteReader } from '#lib/columns/byte-reader.ts';
import { DamagedBytes } from '#lib/columns/damaged-bytes.ts';

const KEY_BYTES = 16;

export interface Dictionary {
  readonly trackCount: number;
  readonly labels: readonly string[];
  /** 32 hex digits. */
  trackKey(number: number): string;
}

/** Layout: the number of tracks, 16 bytes for each key, and the labels as JSON. */
export function writeDictionary(trackKeys: readonly string[], labels: readonly string[]): Uint8Array {
  const count = Buffer.alloc(4);
  count.writeUInt32LE(trackKeys.length);
  return Buffer.concat([count, Buffer.from(trackKeys.join(''), 'hex'), Buffer.from(JSON.stringify(labels))]);
}

/** Throws DamagedBytes. */
export function readDictionary(bytes: Uint8Array): Dictionary {
  const reader = new ByteReader(bytes);
  const trackCount = reader.uint32();
  const keys = Buffer.from(reader.take(trackCount * KEY_BYTES));
  const labels = labelsIn(bytes.subarray(4 + keys.length));
  return {
    trackCount,
    labels,
    trackKey: (number) => keys.toString('hex', number * KEY_BYTES, (number + 1) * KEY_BYTES),
  };
}

function labelsIn(bytes: Uint8Array): string[] {
  let labels: unknown;
  try {
    labels = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new DamagedBytes('labels that cannot be read');
  }
  if (!Array.isArray(labels) || !labels.every((label) => typeof label === 'string')) {
    throw new DamagedBytes('labels that are none');
  }
  return labels;
}
