import { type Header, PMTiles, TileType } from 'pmtiles';
import { readUrl } from '#lib/api/read-url.ts';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import { ArchiveSource, type ArchiveTrouble } from './archive-source.ts';
import { tileCover } from './tile-cover.ts';

export interface OpenedArchive {
  readonly reader: PMTiles;
  readonly isPicture: boolean;
  readonly minZoom: number;
  readonly maxZoom: number;
  readonly bounds: [number, number, number, number] | undefined;
  /** Sanitised HTML. */
  readonly attribution: string;
  readonly tileSize: number;
  /** `undefined` if the file does not say. */
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

const MAX_CHARACTERS = 300;

/** Required even if the file has none: Protomaps makes the schema from OpenStreetMap. */
const PROTOMAPS =
  '<a href="https://protomaps.com" target="_blank" rel="noreferrer">Protomaps</a> <a href="https://www.openstreetmap.org/copyright" target="_blank" rel="noreferrer">© OpenStreetMap contributors</a>';

/** Keeps only text and web links: a file's HTML is untrusted. */
function attributionHtml(attribution: unknown, isProtomaps: boolean): string {
  const own = typeof attribution === 'string' ? textAndLinks(attribution) : '';
  if (!isProtomaps) return own;
  return /openstreetmap/i.test(own) ? own : [own, PROTOMAPS].filter(Boolean).join(' ');
}

function textAndLinks(html: string): string {
  const out = document.createElement('div');
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const element of body.querySelectorAll('script, style, template, noscript, iframe, svg, math')) element.remove();
  let left = MAX_CHARACTERS;
  const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() && left > 0) {
    const text = (walker.currentNode.textContent ?? '').slice(0, left);
    left -= text.length;
    const address = walker.currentNode.parentElement?.closest('a')?.getAttribute('href') ?? '';
    out.append(/^https?:\/\//i.test(address) && readUrl(address) ? link(address, text) : text);
  }
  return out.innerHTML;
}

function link(address: string, text: string): HTMLAnchorElement {
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.target = '_blank';
  anchor.rel = 'noreferrer';
  anchor.textContent = text;
  return anchor;
}
