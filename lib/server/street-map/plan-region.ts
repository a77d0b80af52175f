import 'server-only';
import { type Header, PMTiles, type Source, TileType } from 'pmtiles';
import { archiveStartProblem, mapSchemaProblem, tilesProblem } from '#lib/server/maps/map-file.ts';
import { archiveHead, type DirectoryEntry } from './pmtiles-archive.ts';
import { FetchFailure } from './range-source.ts';
import { type Around, regionBox, regionTileIds } from './region.ts';

/** One request, of tiles that are almost adjacent in the source. */
export interface Batch {
  readonly offset: number;
  readonly length: number;
  readonly tiles: readonly TilePlace[];
}

interface TilePlace {
  /** The offset in the source. */
  readonly offset: number;
  readonly length: number;
  /** The offset in the new file. */
  readonly to: number;
}

export interface RegionPlan {
  readonly head: Buffer;
  readonly batches: readonly Batch[];
  /** How many bytes the new file has. */
  readonly bytes: number;
  readonly tiles: number;
  readonly maxZoom: number;
  /** The archive's own words about its data, without tags; null if it has none. */
  readonly attribution: string | null;
}

const BATCH_MAX_BYTES = 4 * 1024 * 1024;
/** A larger gap between tiles is worth another request. */
const GAP_MAX_BYTES = 32 * 1024;

/**
 * Requests only directories.
 * @param maxZoom default: the archive's own
 * @throws FetchFailure if the archive can't be drawn, or has nothing there; errors of the source
 */
export async function planRegion(source: Source, around: Around, maxZoom?: number): Promise<RegionPlan> {
  const { header, reader, metadata } = await readArchive(source);
  const topZoom = Math.min(maxZoom ?? header.maxZoom, header.maxZoom);
  const box = regionBox(around);
  const entries = await fromArchive(findEntries(reader, header, regionTileIds(box, header.minZoom, topZoom)));
  const [first] = entries;
  if (!first) throw new FetchFailure('The archive has no tiles there.');

  const places = new Map<string, { offset: number; length: number; to: number }>();
  let dataBytes = 0;
  const moved = entries.map((entry): DirectoryEntry => {
    const key = `${entry.offset} ${entry.length}`;
    let place = places.get(key);
    if (!place) {
      place = { offset: header.tileDataOffset + entry.offset, length: entry.length, to: dataBytes };
      places.set(key, place);
      dataBytes += entry.length;
    }
    return { ...entry, offset: place.to };
  });
  // The format has no bounds across 180°: the part beyond it is cut off.
  const [west, east] = [Math.max(box.west, -180), Math.min(box.east, 180)];
  const head = archiveHead(moved, {
    metadata,
    bounds: [
      Math.max(west, header.minLon),
      Math.max(box.south, header.minLat),
      Math.min(east, header.maxLon),
      Math.min(box.north, header.maxLat),
    ],
    center: { lon: around.lon, lat: around.lat, zoom: Math.min(12, topZoom) },
    tileType: header.tileType,
    tileCompression: header.tileCompression,
    minZoom: header.minZoom,
    maxZoom: topZoom,
    dataBytes,
    tileContents: places.size,
  });
  return {
    head,
    batches: batchesOf([...places.values()].map((place) => ({ ...place, to: head.byteLength + place.to }))),
    bytes: head.byteLength + dataBytes,
    tiles: entries.reduce((sum, { runLength }) => sum + runLength, 0),
    maxZoom: topZoom,
    attribution: attributionOf(metadata),
  };
}

function attributionOf(metadata: unknown): string | null {
  const text = (metadata as { readonly attribution?: unknown } | null)?.attribution;
  if (typeof text !== 'string') return null;
  return (
    text
      .replaceAll(/<[^>]*>/g, '')
      .trim()
      .slice(0, 200) || null
  );
}

async function readArchive(source: Source): Promise<{ header: Header; reader: PMTiles; metadata: unknown }> {
  const { data } = await source.getBytes(0, 127);
  const reader = new PMTiles(source);
  const refuse = (problem: string | undefined) => {
    if (problem !== undefined) throw new FetchFailure(`${source.getKey()} ${problem}.`);
  };
  refuse(archiveStartProblem(Buffer.from(data)));
  const header = await fromArchive(reader.getHeader());
  refuse(tilesProblem(header));
  const metadata = await fromArchive(reader.getMetadata());
  if (header.tileType === TileType.Mvt) refuse(await fromArchive((async () => mapSchemaProblem(metadata))()));
  return { header, reader, metadata };
}

/** @throws FetchFailure if the archive is damaged */
async function fromArchive<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof FetchFailure || (error instanceof Error && error.name === 'AbortError')) throw error;
    throw new FetchFailure(`The archive is damaged: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

function batchesOf(places: TilePlace[]): Batch[] {
  places.sort((a, b) => a.offset - b.offset);
  const batches: { offset: number; length: number; tiles: TilePlace[] }[] = [];
  for (const place of places) {
    const last = batches.at(-1);
    const end = place.offset + place.length;
    if (last && place.offset - (last.offset + last.length) <= GAP_MAX_BYTES && end - last.offset <= BATCH_MAX_BYTES) {
      last.length = Math.max(last.length, end - last.offset);
      last.tiles.push(place);
    } else batches.push({ offset: place.offset, length: place.length, tiles: [place] });
  }
  return batches;
}

/** Root and two levels of leaves, as writers make. */
const DEPTH_MAX = 3;

/**
 * Cut to the wanted tiles. Requests only directories.
 * @param ids ascending
 */
async function findEntries(reader: PMTiles, header: Header, ids: readonly number[]): Promise<DirectoryEntry[]> {
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
