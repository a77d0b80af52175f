import type { Header, PMTiles } from 'pmtiles';
import type { DirectoryEntry } from '../basemap/pmtiles-directory.ts';
import { FetchFailure } from './fetch-failure.ts';

/** Root and two levels of leaves, as writers make. */
const DEPTH_MAX = 3;

/**
 * Cut to the wanted tiles. Requests only directories.
 * @param ids ascending
 */
export async function findEntries(reader: PMTiles, header: Header, ids: readonly number[]): Promise<DirectoryEntry[]> {
  const found: DirectoryEntry[] = [];
  const visit = async (offset: number, length: number, depth: number): Promise<void> => {
    if (depth > DEPTH_MAX) throw new FetchFailure('The archive is damaged: its directories point to each other.');
    const entries = await reader.cache.getDirectory(reader.source, offset, length, header);
    for (const [i, entry] of entries.entries()) {
      const { tileId, runLength } = entry;
      const end = runLength > 0 ? tileId + runLength : (entries[i + 1]?.tileId ?? Number.POSITIVE_INFINITY);
      const [from, to] = [firstAtLeast(ids, tileId), firstAtLeast(ids, end)];
      if (from === to) continue;
      if (runLength === 0) await visit(header.leafDirectoryOffset + entry.offset, entry.length, depth + 1);
      else
        for (const run of runs(ids.slice(from, to))) found.push({ ...run, offset: entry.offset, length: entry.length });
    }
  };
  await visit(header.rootDirectoryOffset, header.rootDirectoryLength, 1);
  return found.sort((a, b) => a.tileId - b.tileId);
}

/** The number of ids if all are lower. */
function firstAtLeast(ids: readonly number[], id: number): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ids[middle]! < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

function runs(ids: readonly number[]): { tileId: number; runLength: number }[] {
  const found: { tileId: number; runLength: number }[] = [];
  for (const id of ids) {
    const last = found.at(-1);
    if (last && last.tileId + last.runLength === id) last.runLength++;
    else found.push({ tileId: id, runLength: 1 });
  }
  return found;
}
