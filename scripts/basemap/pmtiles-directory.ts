import { gzipSync } from 'node:zlib';
import { PbfWriter } from 'pbf';

/** A `runLength` of 0 points to a leaf directory. */
export interface DirectoryEntry {
  readonly tileId: number;
  readonly offset: number;
  readonly length: number;
  readonly runLength: number;
}

export interface Directories {
  readonly root: Uint8Array;
  /** Concatenated; empty if the root has every entry. */
  readonly leaves: Uint8Array;
}

/** "Directory Serialization" of PMTiles v3. Entries ascend by `tileId`. */
function serializeDirectory(entries: readonly DirectoryEntry[]): Uint8Array {
  const idSteps = entries.map((entry, i) => entry.tileId - (entries[i - 1]?.tileId ?? 0));
  const offsets = entries.map((entry, i) => {
    const previous = entries[i - 1];
    return previous !== undefined && entry.offset === previous.offset + previous.length ? 0 : entry.offset + 1;
  });
  const columns = new PbfWriter();
  const write = (numbers: readonly number[]) => {
    for (const number of numbers) columns.writeVarint(number);
  };
  write([entries.length]);
  write(idSteps);
  write(entries.map((entry) => entry.runLength));
  write(entries.map((entry) => entry.length));
  write(offsets);
  return gzipSync(columns.finish(), { level: 9 });
}

/** A single root if it fits in `rootBytesMax`. Otherwise equal leaves, doubled until the root fits. */
export function buildDirectories(entries: readonly DirectoryEntry[], rootBytesMax: number): Directories {
  const single = serializeDirectory(entries);
  if (single.byteLength <= rootBytesMax) return { root: single, leaves: new Uint8Array() };

  for (let leafSize = 512; ; leafSize *= 2) {
    const leaves: Uint8Array[] = [];
    const pointers: DirectoryEntry[] = [];
    let offset = 0;
    for (let start = 0; start < entries.length; start += leafSize) {
      const leaf = serializeDirectory(entries.slice(start, start + leafSize));
      pointers.push({ tileId: entries[start]!.tileId, offset, length: leaf.byteLength, runLength: 0 });
      leaves.push(leaf);
      offset += leaf.byteLength;
    }
    const root = serializeDirectory(pointers);
    if (root.byteLength <= rootBytesMax) return { root, leaves: Buffer.concat(leaves) };
  }
}
