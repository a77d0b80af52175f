import { OVERLAY_FEATURES_MAX, OVERLAY_JSON_MAX_BYTES, type OverlayContent } from '#lib/api/overlay.ts';
import { flatGeometries } from './overlay-geometry.ts';
import { OverlayProblem } from './overlay-problem.ts';
import { overlayProperties } from './overlay-properties.ts';
import { readKml } from './read-kml.ts';

export interface ReadOverlay {
  readonly content: OverlayContent;
  readonly leftOut: readonly string[];
}

interface GivenFeatures {
  readonly features: readonly { readonly geometry: unknown; readonly properties: unknown }[];
  readonly leftOut: readonly string[];
}

/**
 * Runs and requests nothing of the file.
 * @param parseXml a parameter for tests outside a browser
 * @throws OverlayProblem
 */
export function readOverlay(text: string, parseXml: (xml: string) => Document): ReadOverlay {
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
