import { xmlText } from '#lib/text/xml.ts';
import { ZONE_FORMATS } from '../zone.ts';
import { drawnGeometry } from './drawn-geometry.ts';
import { readJson } from './file-text.ts';
import { type GivenFeature, OWN_FIELDS, ownFieldsOf, readFeatures, ZONE_COLOUR } from './geojson.ts';
import type { ExportedZone, ReadFeature, Reading, ZoneFormat } from './import-report.ts';
import { countsOf, kmlDocument } from './kml-document.ts';
import type { LonLatPair } from './read-values.ts';

/** KML 2.0 to 2.3. Placemarks are read as features of GeoJSON; links are never followed. */
export const KML: ZoneFormat = { ...ZONE_FORMATS.kml, syntax: 'xml', read: readKml, write: writeKml };

/** Elements that become no zone, by their names for operators. */
const NOT_ZONES: Readonly<Record<string, string>> = {
  GroundOverlay: 'pictures on the ground',
  ScreenOverlay: 'pictures on the screen',
  PhotoOverlay: 'photos',
  Tour: 'tours',
};

function readKml(text: string, { parseXml, report }: Reading): Iterable<ReadFeature> {
  const read = kmlDocument(text, parseXml);
  if ('problems' in read) {
    for (const { place, problem } of read.problems) report.problem(place, problem);
    return [];
  }
  const { document, undeclared } = read;
  for (const [prefix, line] of undeclared)
    report.change(
      'The file',
      `uses the prefix ${prefix}: without declaring it, first in ${line}; it is read without it`,
    );
  for (const each of countsOf(document, NOT_ZONES)) report.leaveOut('The file', `has ${each}`);
  if (document.getElementsByTagNameNS('*', 'NetworkLink').length > 0)
    report.problem(
      'The file',
      'links to other files (NetworkLink), which Lookout does not open; save them in one file',
    );
  return readFeatures(placemarksOf(document), 'Placemark', report);
}

function* placemarksOf(document: Document): Generator<GivenFeature> {
  const root = document.documentElement;
  for (const placemark of placemarkNames(root).flatMap((name) => [...descendants(root, name)])) {
    const geometries = [...childrenOf(placemark)].flatMap((child) => geometryOf(child) ?? []);
    // A placemark may be a name with a view only.
    const geometry = geometries.length > 1 ? joined(geometries) : (geometries[0] ?? null);
    yield { geometry, properties: propertiesOf(placemark) };
  }
}

/** A schema of KML 2.1 may give placemarks another name. */
function placemarkNames(root: Element): string[] {
  const schemas = [...descendants(root, 'Schema')].filter((schema) => schema.getAttribute('parent') === 'Placemark');
  const names = schemas.map((schema) => schema.getAttribute('name') ?? '').filter((name) => name !== '');
  return [...new Set(['Placemark', ...names])];
}

interface Geometry {
  readonly type: string;
  readonly coordinates?: unknown;
  readonly geometries?: readonly Geometry[];
}

/** Positions that are none stay text; `undefined` for no geometry. A type that GeoJSON lacks is a problem. */
function geometryOf(element: Element): Geometry | undefined {
  switch (element.localName) {
    case 'Polygon':
      return polygonOf(element);
    case 'LineString':
    case 'LinearRing':
      return lineOf(element, 'LineString');
    case 'Point': {
      const { type, coordinates = [] } = lineOf(element, 'Point');
      return { type, coordinates: coordinates.length === 1 ? coordinates[0] : coordinates };
    }
    case 'MultiGeometry':
      return joined(
        [...childrenOf(element)].flatMap(
          (child) => geometryOf(child) ?? (childrenOf(child).next().done ? [] : { type: child.localName }),
        ),
      );
    case 'Track':
    case 'MultiTrack':
    case 'Model':
      return { type: element.localName };
    default:
      return undefined;
  }
}

function lineOf(element: Element, type: string): { readonly type: string; readonly coordinates?: unknown[] } {
  const [line = [], ...others] = linesOf(element);
  return others.length === 0 ? { type, coordinates: line } : { type: `${type} of ${others.length + 1} lists` };
}

/** The edge first, as in GeoJSON. Programs write several holes in one inner boundary, which OGC 12-007 does not. */
function polygonOf(element: Element): Geometry {
  const boundaries = [...childrenOf(element)];
  const ringsOf = (name: string) =>
    boundaries.filter(({ localName }) => localName === name).flatMap((boundary) => linesOf(boundary));
  const edges = ringsOf('outerBoundaryIs');
  const holes = ringsOf('innerBoundaryIs');
  if (edges.length > 1) return { type: `Polygon with ${edges.length} outer rings` };
  const [edge = []] = edges;
  const drawn = holes.filter((hole) => hole.length > 0);
  return { type: 'Polygon', coordinates: drawn.length > 0 || edge.length > 0 ? [edge, ...drawn] : [] };
}

function joined(geometries: readonly Geometry[]): Geometry {
  const [first] = geometries;
  return (first?.type === 'Polygon' || first?.type === 'LineString') &&
    geometries.every(({ type }) => type === first.type)
    ? { type: `Multi${first.type}`, coordinates: geometries.map(({ coordinates }) => coordinates) }
    : { type: 'GeometryCollection', geometries };
}

/** One list of positions for each `coordinates`. */
function linesOf(element: Element): unknown[][] {
  return Array.from(descendants(element, 'coordinates'), (coordinates) =>
    tuplesOf(coordinates.textContent ?? '').map((tuple) => {
      const [lon, lat, height = '0', ...others] = tuple.split(',');
      // Programs write a height that they do not know as nothing or NaN.
      const numbers = [lon, lat, /^(nan)?$/i.test(height) ? '0' : height].map(numberOf);
      return others.length === 0 && !numbers.some(Number.isNaN) ? numbers : tuple;
    }),
  );
}

/** Blanks next to a comma separate no positions: programs write `8.5, 47.4, 0`. */
function tuplesOf(text: string): string[] {
  const tuples: string[] = [];
  let isOpen = false;
  for (const part of text.split(/\s+/)) {
    if (part === '') continue;
    if (isOpen || part.startsWith(',')) tuples.push(`${tuples.pop() ?? ''}${part}`);
    else tuples.push(part);
    isOpen = part.endsWith(',');
  }
  return tuples;
}

function numberOf(text = ''): number {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
}

function propertiesOf(placemark: Element): Record<string, unknown> {
  const properties = new Map<string, unknown>();
  for (const child of childrenOf(placemark)) {
    const text = child.textContent?.trim() ?? '';
    if (child.localName === 'name' || child.localName === 'description') properties.set(child.localName, text);
    if (child.localName !== 'ExtendedData') continue;
    for (const data of [...descendants(child, 'Data'), ...descendants(child, 'SimpleData')]) {
      const name = data.getAttribute('name') ?? '';
      const [value] = descendants(data, 'value');
      const content = ((value ?? data).textContent ?? '').trim();
      if (!properties.has(name)) properties.set(name, name === OWN_FIELDS ? jsonOr(content) : content);
    }
  }
  return Object.fromEntries(properties);
}

function jsonOr(text: string): unknown {
  const read = readJson(text);
  return 'value' in read ? read.value : text;
}

function* childrenOf(element: Element): Generator<Element> {
  for (let node = element.firstChild; node; node = node.nextSibling) if (node.nodeType === 1) yield node as Element;
}

function* descendants(element: Element, name: string): Generator<Element> {
  const found = element.getElementsByTagNameNS('*', name);
  const { length } = found;
  for (let index = 0; index < length; index += 1) yield found[index] as Element;
}

/** Writes KML 2.2, with zones on the ground. */
export function writeKml(zones: readonly ExportedZone[]): string {
  // KML colours are alpha, blue, green, red.
  const colour = ZONE_COLOUR.replace(/^#(..)(..)(..)$/, '$3$2$1');
  return `<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2">
<Document>
<name>Zones</name>
<Style id="zone"><LineStyle><color>ff${colour}</color><width>2</width></LineStyle><PolyStyle><color>1a${colour}</color></PolyStyle></Style>
${zones.map(placemark).join('')}</Document>
</kml>
`;
}

function placemark(zone: ExportedZone): string {
  return `<Placemark><name>${xmlText(zone.name)}</name><styleUrl>#zone</styleUrl>
<ExtendedData><Data name="${OWN_FIELDS}"><value>${xmlText(asciiJson(ownFieldsOf(zone)))}</value></Data></ExtendedData>
${writtenGeometry(zone)}</Placemark>
`;
}

/** XML forbids or changes other characters. */
function asciiJson(value: object): string {
  return JSON.stringify(value).replaceAll(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function writtenGeometry({ shape }: ExportedZone): string {
  const { type, coordinates } = drawnGeometry(shape);
  switch (type) {
    case 'Polygon':
      return polygon(coordinates);
    case 'MultiPolygon':
      return `<MultiGeometry>${coordinates.map(polygon).join('')}</MultiGeometry>\n`;
    case 'LineString':
      return line(coordinates);
    case 'MultiLineString':
      return `<MultiGeometry>${coordinates.map(line).join('')}</MultiGeometry>\n`;
  }
}

function polygon([edge = [], ...holes]: readonly (readonly LonLatPair[])[]): string {
  const inner = holes.map((hole) => `<innerBoundaryIs>${ringOf(hole)}</innerBoundaryIs>`).join('');
  return `<Polygon><tessellate>1</tessellate><outerBoundaryIs>${ringOf(edge)}</outerBoundaryIs>${inner}</Polygon>\n`;
}

function ringOf(ring: readonly LonLatPair[]): string {
  return `<LinearRing><coordinates>${positionsText(ring)}</coordinates></LinearRing>`;
}

function line(positions: readonly LonLatPair[]): string {
  return `<LineString><tessellate>1</tessellate><coordinates>${positionsText(positions)}</coordinates></LineString>\n`;
}

function positionsText(positions: readonly LonLatPair[]): string {
  return positions.map(([lon, lat]) => `${lon},${lat}`).join(' ');
}
