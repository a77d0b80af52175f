import { kml } from '@tmcw/togeojson';
import { kmlDocument } from '#lib/zones/formats/kml/kml-document.ts';
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
