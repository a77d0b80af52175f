import { OWN_FIELDS } from '../geojson/own-fields.ts';
import { type GivenFeature, readFeatures } from '../geojson/read-features.ts';
import type { ImportReport } from '../reading/import-report.ts';
import { readJson } from '../reading/json-document.ts';
import type { ReadFeature } from '../reading/read-zone.ts';
import { kmlDocument } from './kml-document.ts';

/** Their names for operators. */
const NOT_ZONES: Readonly<Record<string, string>> = {
  GroundOverlay: 'pictures on the ground',
  ScreenOverlay: 'pictures on the screen',
  PhotoOverlay: 'photos',
  Tour: 'tours',
};

/** Never follows links. */
export function readKmlZones(
  text: string,
  parse: (xml: string) => Document,
  report: ImportReport,
): Iterable<ReadFeature> {
  const read = kmlDocument(text, parse);
  if ('problem' in read) {
    report.problem('The file', read.problem);
    return [];
  }
  const { document } = read;
  for (const [element, what] of Object.entries(NOT_ZONES)) {
    const count = document.getElementsByTagNameNS('*', element).length;
    if (count > 0) report.leaveOut(what, count);
  }
  if (document.getElementsByTagNameNS('*', 'NetworkLink').length > 0)
    report.problem(
      'The file',
      'links to other files (NetworkLink), which Lookout does not open; save them in one file',
    );
  return readFeatures(placemarksOf(document), 'Placemark', report);
}

function* placemarksOf(document: Document): Generator<GivenFeature> {
  for (const placemark of descendants(document.documentElement, 'Placemark')) {
    const geometries = [...childrenOf(placemark)].flatMap((child) => geometryOf(child) ?? []);
    const geometry = geometries.length > 1 ? joined(geometries) : geometries[0];
    yield { geometry, properties: propertiesOf(placemark) };
  }
}

interface Geometry {
  readonly type: string;
  readonly coordinates?: unknown;
  readonly geometries?: readonly Geometry[];
}

/** Numbers can be NaN; `undefined` for no geometry. */
function geometryOf(element: Element): Geometry | undefined {
  switch (element.localName) {
    case 'Polygon': {
      const rings = [...childrenOf(element)].filter(({ localName }) => /^(outer|inner)BoundaryIs$/.test(localName));
      // GeoJSON wants the edge first; KML may have it last.
      rings.sort((a, b) => Number(b.localName === 'outerBoundaryIs') - Number(a.localName === 'outerBoundaryIs'));
      return { type: 'Polygon', coordinates: rings.map(positionsOf) };
    }
    case 'LineString':
    case 'LinearRing':
      return { type: 'LineString', coordinates: positionsOf(element) };
    case 'Point':
      return { type: 'Point', coordinates: positionsOf(element)[0] };
    case 'MultiGeometry':
      return joined([...childrenOf(element)].flatMap((child) => geometryOf(child) ?? []));
    case 'Track':
    case 'MultiTrack':
    case 'Model':
      return { type: element.localName };
    default:
      return undefined;
  }
}

function joined(geometries: readonly Geometry[]): Geometry {
  const [first] = geometries;
  return (first?.type === 'Polygon' || first?.type === 'LineString') &&
    geometries.every(({ type }) => type === first.type)
    ? { type: `Multi${first.type}`, coordinates: geometries.map(({ coordinates }) => coordinates) }
    : { type: 'GeometryCollection', geometries };
}

function positionsOf(element: Element): number[][] {
  const [coordinates] = descendants(element, 'coordinates');
  const text = coordinates?.textContent?.trim() ?? '';
  return text === '' ? [] : text.split(/\s+/).map((position) => position.split(',').map(numberOf));
}

function numberOf(text: string): number {
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
