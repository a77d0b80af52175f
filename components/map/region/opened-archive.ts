import { type Header, PMTiles, TileType } from 'pmtiles';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import { ArchiveSource, type ArchiveTrouble } from './archive-source.ts';
import { attributionHtml } from './attribution-html.ts';
import { tileCover } from './tile-cover.ts';

/** A map's file, and what has to be known of it before it is drawn. */
export interface OpenedArchive {
  readonly reader: PMTiles;
  readonly isPicture: boolean;
  readonly minZoom: number;
  readonly maxZoom: number;
  /** West, south, east, north; `undefined` if the file does not say. */
  readonly bounds: [number, number, number, number] | undefined;
  /** HTML that is safe to show. */
  readonly attribution: string;
  /** Side of a picture in pixels. */
  readonly tileSize: number;
  /** Where there are tiles; `undefined` if the file does not say. */
  readonly cover: GeoJSON.MultiPolygon | undefined;
}

const USUAL_TILE_PX = 256;

/** @throws Error if the file cannot be read */
export async function openArchive(name: string, onTrouble: (trouble: ArchiveTrouble) => void): Promise<OpenedArchive> {
  const reader = new PMTiles(new ArchiveSource(name, onTrouble));
  const header = await reader.getHeader();
  const isPicture = header.tileType !== TileType.Mvt;
  const metadata = await metadataOf(reader);
  const attribution = 'attribution' in metadata ? metadata.attribution : undefined;
  const hasBounds = header.minLon < header.maxLon && header.minLat < header.maxLat;
  return {
    reader,
    isPicture,
    minZoom: header.minZoom,
    maxZoom: header.maxZoom,
    bounds: hasBounds ? [header.minLon, header.minLat, header.maxLon, header.maxLat] : undefined,
    attribution: attributionHtml(attribution, !isPicture),
    tileSize: isPicture ? await pictureSize(reader, header) : 512,
    cover: hasBounds ? await tileCover(reader, header) : undefined,
  };
}

async function metadataOf(reader: PMTiles): Promise<object> {
  const metadata = await reader.getMetadata();
  return typeof metadata === 'object' && metadata !== null ? metadata : {};
}

/** The size of the picture in the middle; pictures of 512 pixels are drawn at half of theirs, sharp on every screen. */
async function pictureSize(reader: PMTiles, header: Header): Promise<number> {
  const side = 2 ** header.maxZoom;
  const x = Math.floor(mercatorX((header.minLon + header.maxLon) / 2) * side);
  const y = Math.floor(mercatorY((header.minLat + header.maxLat) / 2) * side);
  const tile = await reader.getZxy(header.maxZoom, x, y);
  if (!tile) return USUAL_TILE_PX;
  const image = await createImageBitmap(new Blob([tile.data]));
  const { width } = image;
  image.close();
  return width;
}
