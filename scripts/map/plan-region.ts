import { type Header, PMTiles, type Source, TileType } from 'pmtiles';
import { archiveStartProblem, mapSchemaProblem, tilesProblem } from '#lib/server/maps/map-file.ts';
import { archiveHead } from '../basemap/archive-head.ts';
import type { DirectoryEntry } from '../basemap/pmtiles-directory.ts';
import { FetchFailure } from './fetch-failure.ts';
import { findEntries } from './find-entries.ts';
import { type Around, boxAround, regionTileIds } from './region.ts';

/** One request, of tiles that are almost adjacent in the source. */
export interface Batch {
  readonly offset: number;
  readonly length: number;
  readonly tiles: readonly TilePlace[];
}

interface TilePlace {
  /** In the source. */
  readonly offset: number;
  readonly length: number;
  /** In the new file. */
  readonly to: number;
}

export interface RegionPlan {
  readonly head: Buffer;
  readonly batches: readonly Batch[];
  /** Of the new file. */
  readonly bytes: number;
  readonly tiles: number;
  readonly maxZoom: number;
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
  const box = boxAround(around);
  const entries = await orDamaged(findEntries(reader, header, regionTileIds(box, header.minZoom, topZoom)));
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
  };
}

async function readArchive(source: Source): Promise<{ header: Header; reader: PMTiles; metadata: unknown }> {
  const { data } = await source.getBytes(0, 127);
  const reader = new PMTiles(source);
  const refuse = (problem: string | undefined) => {
    if (problem !== undefined) throw new FetchFailure(`${source.getKey()} ${problem}.`);
  };
  refuse(archiveStartProblem(Buffer.from(data)));
  const header = await orDamaged(reader.getHeader());
  refuse(tilesProblem(header));
  const metadata = await orDamaged(reader.getMetadata());
  if (header.tileType === TileType.Mvt) refuse(await orDamaged((async () => mapSchemaProblem(metadata))()));
  return { header, reader, metadata };
}

/** @throws FetchFailure if the archive is damaged */
async function orDamaged<T>(reading: Promise<T>): Promise<T> {
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
