import { kml } from '@tmcw/togeojson';
import { OverlayProblem } from './overlay-problem.ts';

/** Other files or more than a map; none is opened. */
const NOT_DRAWN: Readonly<Record<string, string>> = {
  NetworkLink: 'links to other files',
  GroundOverlay: 'pictures on the ground',
  ScreenOverlay: 'pictures on the screen',
  PhotoOverlay: 'photos',
  Model: '3D models',
  Tour: 'tours',
};

export interface ReadKml {
  readonly features: readonly { readonly geometry: unknown; readonly properties: unknown }[];
  /** Omitted content, such as `2 photos`. */
  readonly leftOut: readonly string[];
}

/**
 * Rejects entities before parsing, and requests no links.
 * @param parse XML to a document
 * @throws OverlayProblem
 */
export function readKml(text: string, parse: (xml: string) => Document): ReadKml {
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text))
    throw new OverlayProblem('The file declares a document type or entities (<!DOCTYPE), which Lookout does not read.');
  const document = parsed(text, parse);
  if (document.documentElement?.localName !== 'kml')
    throw new OverlayProblem('The file is XML, but no KML: its first element is not <kml>.');
  const leftOut: string[] = [];
  for (const [element, what] of Object.entries(NOT_DRAWN)) {
    const found = [...listed(document.getElementsByTagNameNS('*', element))];
    if (found.length > 0) leftOut.push(`${found.length} ${found.length === 1 ? what.replace(/s( |$)/, '$1') : what}`);
    for (const node of found) node.parentNode?.removeChild(node);
  }
  return { features: kml(document).features, leftOut };
}

function parsed(text: string, parse: (xml: string) => Document): Document {
  let document: Document | undefined;
  try {
    document = parse(text);
  } catch {
    document = undefined;
  }
  if (!document || document.getElementsByTagName('parsererror').length > 0)
    throw new OverlayProblem('The file is no well-formed XML: it is damaged or cut short.');
  return document;
}

function* listed(nodes: HTMLCollectionOf<Element>): Generator<Element> {
  for (let i = 0; i < nodes.length; i++) yield nodes[i] as Element;
}
