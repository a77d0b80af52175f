import { kml } from '@tmcw/togeojson';
import {
  FEATURE_NAME_MAX_LENGTH,
  OVERLAY_FEATURES_MAX,
  OVERLAY_JSON_MAX_BYTES,
  OVERLAY_PACKED_MAX_LENGTH,
  type OverlayContent,
  type OverlayGeometry,
  type OverlayProperties,
} from '#lib/api/overlay.ts';
import { streamOf } from '#lib/client/request/stream-chunks.ts';
import type { ImportProblem } from '#lib/zones/formats/import-report.ts';
import { countsOf, kmlDocument } from '#lib/zones/formats/kml-document.ts';
import { OverlayProblem } from './overlays-text.ts';

interface GivenFeatures {
  readonly features: readonly { readonly geometry: unknown; readonly properties: unknown }[];
  /** Content of the file that is not drawn, such as `2 photos`. */
  readonly leftOut: readonly string[];
}

/**
 * Reads a file of GeoJSON or KML as an overlay: shapes in two dimensions with a name and colours, within the limits of the
 * server. It never runs anything of the file, and requests none of its links.
 * @param parseXml a parameter for tests outside a browser
 * @throws OverlayProblem with a sentence for the operator
 */
export function readOverlay(
  text: string,
  parseXml: (xml: string) => Document,
): { readonly content: OverlayContent; readonly leftOut: readonly string[] } {
  const given = givenFeatures(text, parseXml);
  const features = given.features.flatMap(({ geometry, properties }, index) =>
    flatGeometries(geometry, `Feature ${index + 1}`).map((flat) => ({
      type: 'Feature' as const,
      properties: overlayProperties(properties),
      geometry: flat,
    })),
  );
  if (features.length === 0) throw new OverlayProblem('The file has no points, lines or areas.');
  if (features.length > OVERLAY_FEATURES_MAX)
    throw new OverlayProblem(
      `The file has ${features.length} shapes; an overlay has at most ${OVERLAY_FEATURES_MAX}. Split it.`,
    );
  const content: OverlayContent = { type: 'FeatureCollection', features };
  const { length } = new TextEncoder().encode(JSON.stringify(content));
  if (length > OVERLAY_JSON_MAX_BYTES)
    throw new OverlayProblem(
      `The shapes take ${Math.ceil(length / 1000)} kB; an overlay has at most ${OVERLAY_JSON_MAX_BYTES / 1000} kB. Simplify them, or split the file.`,
    );
  return { content, leftOut: given.leftOut };
}

function givenFeatures(text: string, parseXml: (xml: string) => Document): GivenFeatures {
  const start = text.trimStart();
  if (start.startsWith('PK'))
    throw new OverlayProblem('The file is a KMZ or another zip archive. Unpack it, and choose the .kml file in it.');
  if (start.startsWith('<')) return readKml(start, parseXml);
  if (!start.startsWith('{')) throw new OverlayProblem('The file is neither GeoJSON nor KML.');
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(start);
  } catch (error) {
    throw new OverlayProblem(`The file is no valid JSON: ${(error as Error).message}.`);
  }
  return { features: geoJsonFeatures(value), leftOut: [] };
}

function geoJsonFeatures(value: Record<string, unknown>): GivenFeatures['features'] {
  switch (value.type) {
    case 'FeatureCollection':
      if (!Array.isArray(value.features)) throw new OverlayProblem('The file is a collection without features.');
      return value.features.map((feature: unknown, index) => {
        const { type, geometry, properties } = (feature ?? {}) as Record<string, unknown>;
        if (type !== 'Feature') throw new OverlayProblem(`Feature ${index + 1} is none: its type is not "Feature".`);
        return { geometry, properties };
      });
    case 'Feature':
      return [{ geometry: value.geometry, properties: value.properties }];
    case 'Topology':
      throw new OverlayProblem('The file is TopoJSON. Convert it to GeoJSON.');
    default:
      return [{ geometry: value, properties: undefined }];
  }
}

/** Elements of KML that are other files, or more than a map. None is opened. */
const NOT_DRAWN: Readonly<Record<string, string>> = {
  NetworkLink: 'links to other files',
  GroundOverlay: 'pictures on the ground',
  ScreenOverlay: 'pictures on the screen',
  PhotoOverlay: 'photos',
  Model: '3D models',
  Tour: 'tours',
};

/** Rejects entities before parsing. @throws OverlayProblem */
function readKml(text: string, parse: (xml: string) => Document): GivenFeatures {
  const read = kmlDocument(text, parse);
  if ('problems' in read) {
    const [{ place, problem }] = read.problems as [ImportProblem];
    throw new OverlayProblem(`${place} ${problem}.`);
  }
  const { document } = read;
  const leftOut = countsOf(document, NOT_DRAWN);
  for (const element of Object.keys(NOT_DRAWN)) {
    // The list changes as nodes are removed.
    const nodes: readonly Element[] = Array.from(document.getElementsByTagNameNS('*', element));
    for (const node of nodes) node.parentNode?.removeChild(node);
  }
  return { features: kml(document).features, leftOut };
}

type LonLat = [number, number];

/** Coordinates are kept to about a tenth of a metre. */
const STEPS_A_DEGREE = 1e6;
const DEPTH_MAX = 20;

/**
 * The shapes of a geometry, with its collections flattened. A geometry of null has none.
 * @param where names the feature in an error
 * @throws OverlayProblem if it is no GeoJSON, or not in degrees
 */
function flatGeometries(geometry: unknown, where: string, depth = 0): OverlayGeometry[] {
  if (geometry === null || geometry === undefined) return [];
  const { type, coordinates, geometries } = geometry as Record<string, unknown>;
  const read = new CoordinateReader(where);
  switch (type) {
    case 'Point':
      return [{ type, coordinates: read.position(coordinates) }];
    case 'MultiPoint':
      return isEmpty(coordinates) ? [] : [{ type, coordinates: read.positions(coordinates, 1) }];
    case 'LineString':
      return [{ type, coordinates: read.positions(coordinates, 2) }];
    case 'MultiLineString':
      return isEmpty(coordinates) ? [] : [{ type, coordinates: read.lines(coordinates, 2) }];
    case 'Polygon':
      return isEmpty(coordinates) ? [] : [{ type, coordinates: read.lines(coordinates, 4) }];
    case 'MultiPolygon':
      if (isEmpty(coordinates)) return [];
      return [{ type, coordinates: read.list(coordinates).map((rings) => read.lines(rings, 4)) }];
    case 'GeometryCollection':
      if (depth === DEPTH_MAX)
        throw new OverlayProblem(`${where} has collections within collections, too deep to read.`);
      return read.list(geometries).flatMap((part) => flatGeometries(part, where, depth + 1));
    default:
      throw new OverlayProblem(
        `${where} has a geometry of the type ${JSON.stringify(type)}, which GeoJSON does not have.`,
      );
  }
}

class CoordinateReader {
  readonly #where: string;

  constructor(where: string) {
    this.#where = where;
  }

  list(value: unknown): readonly unknown[] {
    if (!Array.isArray(value)) throw new OverlayProblem(`${this.#where} has no coordinates.`);
    return value;
  }

  lines(value: unknown, min: number): LonLat[][] {
    return this.list(value).map((line) => this.positions(line, min));
  }

  positions(value: unknown, min: number): LonLat[] {
    const positions = this.list(value).map((position) => this.position(position));
    if (positions.length < min)
      throw new OverlayProblem(`${this.#where} has a shape of ${positions.length} positions, where ${min} are needed.`);
    return positions;
  }

  position(value: unknown): LonLat {
    const [lon, lat] = this.list(value);
    if (typeof lon !== 'number' || typeof lat !== 'number' || !Number.isFinite(lon) || !Number.isFinite(lat))
      throw new OverlayProblem(`${this.#where} has a position without longitude and latitude.`);
    if (Math.abs(lon) > 180 || Math.abs(lat) > 90)
      throw new OverlayProblem(
        `${this.#where} has the position ${lon}, ${lat}, which is no longitude and latitude in degrees. Save the file in WGS 84 (EPSG:4326).`,
      );
    return [Math.round(lon * STEPS_A_DEGREE) / STEPS_A_DEGREE, Math.round(lat * STEPS_A_DEGREE) / STEPS_A_DEGREE];
  }
}

function isEmpty(coordinates: unknown): boolean {
  return Array.isArray(coordinates) && coordinates.length === 0;
}

const WIDTH_MAX_PX = 20;
const NAMES = ['name', 'title', 'Name', 'NAME'] as const;
/** Control characters, and those that change the text direction. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]+/gu;

/** Name and colours by simplestyle 1.1.0, or by togeojson’s names for KML. Values that cannot be read are dropped. */
function overlayProperties(properties: unknown): OverlayProperties {
  const given: Record<string, unknown> = typeof properties === 'object' && properties !== null ? { ...properties } : {};
  const entries = {
    name: NAMES.map((key) => nameOf(given[key])).find((name) => name !== undefined),
    stroke: colourOf(given.stroke),
    'stroke-width': numberOf(given['stroke-width'], WIDTH_MAX_PX),
    'stroke-opacity': numberOf(given['stroke-opacity'], 1),
    fill: colourOf(given.fill),
    'fill-opacity': numberOf(given['fill-opacity'], 1),
    'marker-color': colourOf(given['marker-color'] ?? given['icon-color']),
  };
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined));
}

function nameOf(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const name = String(value).replace(UNPRINTABLE, ' ').trim();
  return name === '' ? undefined : [...name].slice(0, FEATURE_NAME_MAX_LENGTH).join('');
}

function colourOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const [, hex] = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(value.trim()) ?? [];
  if (hex === undefined) return undefined;
  return `#${(hex.length === 3 ? [...hex].map((digit) => digit + digit).join('') : hex).toLowerCase()}`;
}

function numberOf(value: unknown, max: number): number | undefined {
  const number = typeof value === 'string' ? Number.parseFloat(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number) || number < 0) return undefined;
  return Math.min(max, Math.round(number * 100) / 100);
}

/**
 * The content of an overlay, compressed for `POST /api/overlays`.
 * @throws OverlayProblem if it is too large
 */
export async function packedOverlay(content: OverlayContent): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify(content));
  const stream = streamOf(text).pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const packed = btoa(binary);
  if (packed.length > OVERLAY_PACKED_MAX_LENGTH)
    throw new OverlayProblem(
      `The shapes take ${Math.ceil(packed.length / 1000)} kB compressed; an overlay has at most ${OVERLAY_PACKED_MAX_LENGTH / 1000} kB, about 8,000 positions. Simplify them, or split the file.`,
    );
  return packed;
}
