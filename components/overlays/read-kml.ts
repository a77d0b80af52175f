import { kml } from '@tmcw/togeojson';
import { kmlDocument } from '#lib/zones/formats/kml/kml-document.ts';
import { OverlayProblem } from './overlay-problem.ts';

/** Elements that name other files or need more than a map, and what the operator calls them. None of them is opened. */
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
 * Points, lines and areas of a KML document. Entities are refused before it is parsed, and what it links is not requested.
 * @param parse makes a document of XML
 * @throws OverlayProblem
 */
export function readKml(text: string, parse: (xml: string) => Document): ReadKml {
  const read = kmlDocument(text, parse);
  if ('problem' in read) throw new OverlayProblem(read.problem);
  const { document } = read;
  const leftOut: string[] = [];
  for (const [element, what] of Object.entries(NOT_DRAWN)) {
    const found = [...listed(document.getElementsByTagNameNS('*', element))];
    if (found.length > 0) leftOut.push(`${found.length} ${found.length === 1 ? what.replace(/s( |$)/, '$1') : what}`);
    for (const node of found) node.parentNode?.removeChild(node);
  }
  return { features: kml(document).features, leftOut };
}

function* listed(nodes: HTMLCollectionOf<Element>): Generator<Element> {
  for (let i = 0; i < nodes.length; i++) yield nodes[i] as Element;
}
