import { kml } from '@tmcw/togeojson';
import type { ImportProblem } from '#lib/zones/formats/import-report.ts';
import { countsOf, kmlDocument } from '#lib/zones/formats/kml-document.ts';
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
  if ('problems' in read) {
    const [{ place, problem }] = read.problems as [ImportProblem];
    throw new OverlayProblem(`${place} ${problem}.`);
  }
  const { document } = read;
  const leftOut = countsOf(document, NOT_DRAWN);
  for (const element of Object.keys(NOT_DRAWN))
    for (const node of [...listed(document.getElementsByTagNameNS('*', element))]) node.parentNode?.removeChild(node);
  return { features: kml(document).features, leftOut };
}

function* listed(nodes: HTMLCollectionOf<Element>): Generator<Element> {
  for (let i = 0; i < nodes.length; i++) yield nodes[i] as Element;
}
