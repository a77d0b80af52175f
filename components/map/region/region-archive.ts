import {
  EtagMismatch,
  findTile,
  type Header,
  PMTiles,
  type RangeResponse,
  type Source,
  TileType,
  zxyToTileId,
} from 'pmtiles';
import { errorAnswerSchema } from '#lib/api/error-code.ts';
import { readUrl } from '#lib/api/read-url.ts';
import { NO_ANSWER_MESSAGE } from '#lib/client/request/refusal-message.ts';
import { boxRing } from '#lib/geo/bbox.ts';
import { mercatorLatDeg, mercatorX, mercatorY } from '#lib/geo/mercator.ts';

export interface OpenedArchive {
  readonly reader: PMTiles;
  readonly isPicture: boolean;
  readonly minZoom: number;
  readonly maxZoom: number;
  readonly bounds: [number, number, number, number] | undefined;
  /** The attribution as sanitised HTML. */
  readonly attribution: string;
  readonly tileSize: number;
  /** The ground that the file covers; `undefined` if it does not say. */
  readonly cover: GeoJSON.MultiPolygon | undefined;
}

const USUAL_TILE_PX = 256;

/**
 * Opens a map file on the server, and reads what the map needs of it. All parts are of one version of the file.
 * @param onTrouble called when a later read fails, or when the file was replaced
 * @throws Error if the file cannot be read
 */
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

/** The notice is required even if the file has none: Protomaps makes the schema from OpenStreetMap. */
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

export type ArchiveTrouble =
  /** The file was replaced or is no map: what is drawn is out of date. */
  | { readonly kind: 'replaced' }
  | { readonly kind: 'unavailable'; readonly problem: string }
  | { readonly kind: 'unreachable'; readonly problem: string };

/** Reads parts of the file over HTTP, all from one version of it. */
class ArchiveSource implements Source {
  readonly #name: string;
  readonly #onTrouble: (trouble: ArchiveTrouble) => void;
  #version: string | undefined;

  constructor(name: string, onTrouble: (trouble: ArchiveTrouble) => void) {
    this.#name = name;
    this.#onTrouble = onTrouble;
  }

  getKey(): string {
    return this.#name;
  }

  async getBytes(offset: number, length: number, signal?: AbortSignal): Promise<RangeResponse> {
    const address = `/api/maps?${new URLSearchParams({ name: this.#name })}`;
    const headers = { range: `bytes=${offset}-${offset + length - 1}` };
    let answer: Response;
    try {
      answer = await fetch(address, { headers, cache: 'no-store', redirect: 'error', ...(signal && { signal }) });
    } catch (error) {
      throw this.#unreachable(error, signal);
    }
    const version = answer.headers.get('etag') ?? undefined;
    const isOther = this.#version !== undefined && version !== undefined && version !== this.#version;
    if (isOther || answer.status === 416) {
      discard(answer);
      this.#onTrouble({ kind: 'replaced' });
      throw new EtagMismatch('the file was replaced');
    }
    if (answer.status !== 206) throw await this.#refused(answer);
    let data: ArrayBuffer;
    try {
      data = await answer.arrayBuffer();
    } catch (error) {
      throw this.#unreachable(error, signal);
    }
    this.#version ??= version;
    return { data, ...(version !== undefined && { etag: version }) };
  }

  #unreachable(error: unknown, signal: AbortSignal | undefined): unknown {
    if (!signal?.aborted) this.#onTrouble({ kind: 'unreachable', problem: NO_ANSWER_MESSAGE });
    return error;
  }

  async #refused(answer: Response): Promise<Error> {
    const trouble = await refusal(answer);
    this.#onTrouble(trouble);
    return new Error(trouble.problem);
  }
}

function discard({ body }: Response): void {
  // A connection that is lost has nothing to cancel.
  body?.cancel().catch(() => undefined);
}

async function refusal(answer: Response): Promise<Exclude<ArchiveTrouble, { kind: 'replaced' }>> {
  if (answer.ok) {
    // A whole file in place of a part may be as large as a disk.
    discard(answer);
    return { kind: 'unreachable', problem: 'Something between this browser and Lookout sends whole files for parts.' };
  }
  if (answer.status === 401) return { kind: 'unreachable', problem: 'Signed out.' };
  const body: unknown = await answer.json().catch(() => undefined);
  const { code, message } = errorAnswerSchema.safeParse(body).data?.error ?? {};
  if (message === undefined) return { kind: 'unreachable', problem: NO_ANSWER_MESSAGE };
  return { kind: code === 'map_unavailable' || code === 'not_found' ? 'unavailable' : 'unreachable', problem: message };
}

/** At most so many tiles are looked up in the file's directory. */
const MAX_TILES = 256;

/** The ground that the file has tiles of, as rows of tiles at one zoom. */
export async function tileCover(reader: PMTiles, header: Header): Promise<GeoJSON.MultiPolygon> {
  const { minLon, minLat, maxLon, maxLat } = header;
  const rows = new Map<number, number[]>();
  const z = coverZoom(header);
  const side = 2 ** z;
  const tile = (unit: number) => Math.min(side - 1, Math.max(0, Math.floor(unit * side)));
  for (let y = tile(mercatorY(maxLat)); y <= tile(mercatorY(minLat)); y++) {
    const row: number[] = [];
    for (let x = tile(mercatorX(minLon)); x <= tile(mercatorX(maxLon)); x++)
      if (await hasTile(reader, header, zxyToTileId(z, x, y))) row.push(x);
    rows.set(y, row);
  }
  const polygons = [...rows].flatMap(([y, row]) =>
    runs(row).map(([first, last]) => {
      const west = Math.max(minLon, (first / side) * 360 - 180);
      const east = Math.min(maxLon, ((last + 1) / side) * 360 - 180);
      const north = Math.min(maxLat, mercatorLatDeg(y / side));
      const south = Math.max(minLat, mercatorLatDeg((y + 1) / side));
      return [boxRing({ west, south, east, north })];
    }),
  );
  return { type: 'MultiPolygon', coordinates: polygons };
}

function coverZoom({ minLon, minLat, maxLon, maxLat, minZoom, maxZoom }: Header): number {
  const width = mercatorX(maxLon) - mercatorX(minLon);
  const height = mercatorY(minLat) - mercatorY(maxLat);
  let z = minZoom;
  while (z < maxZoom && (width * 2 ** (z + 1) + 1) * (height * 2 ** (z + 1) + 1) <= MAX_TILES) z++;
  return z;
}

async function hasTile(reader: PMTiles, header: Header, id: number): Promise<boolean> {
  let [offset, length] = [header.rootDirectoryOffset, header.rootDirectoryLength];
  for (let depth = 0; depth <= 3; depth++) {
    const entry = findTile(await reader.cache.getDirectory(reader.source, offset, length, header), id);
    if (!entry) return false;
    if (entry.runLength > 0) return true;
    [offset, length] = [header.leafDirectoryOffset + entry.offset, entry.length];
  }
  return false;
}

function runs(sorted: readonly number[]): [number, number][] {
  const found: [number, number][] = [];
  for (const at of sorted) {
    const run = found.at(-1);
    if (run && run[1] === at - 1) run[1] = at;
    else found.push([at, at]);
  }
  return found;
}
