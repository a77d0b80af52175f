import * as z from 'zod/mini';
import { SHORT_NAME_MAX_LENGTH, UNPRINTABLE_IN_NAMES } from '#lib/text/plain-line.ts';
import { type PermitTerms, permitTerms } from '../permit.ts';
import { shapeProblem } from '../shape-problem.ts';
import type { ZoneShape } from '../zone.ts';
import { drawnGeometry } from './drawn-geometry.ts';
import { decoded, readJson } from './file-text.ts';
import { isDrawnFrom, readFeatures, ZONE_COLOUR } from './geojson.ts';
import { type ImportProblem, ImportReport } from './import-report.ts';
import { intentsIn, readOperationalIntent } from './operational-intent.ts';
import { fieldsOf, shown, shownText } from './read-values.ts';

/** The property with what GeoJSON can’t say about a permit. */
const OWN_FIELDS = 'lookout_permit';
const IMPORT_MAX_BYTES = 2_000_000;

/** A permit with the name of its zone, as files have it. */
export interface FiledPermit extends PermitTerms {
  readonly name: string;
  /** '' where the file does not state it. */
  readonly zone: string;
  readonly expects_flight: boolean;
}

export type PermitsRead =
  | { readonly kind: 'permits'; readonly permits: readonly FiledPermit[] }
  | { readonly kind: 'problems'; readonly problems: readonly ImportProblem[] };

const ownFields = z.strictObject({
  zone: z.string().check(z.maxLength(200)),
  ...permitTerms,
  expects_flight: z._default(z.boolean(), false),
});

/** The shape of a zone by its name. A permit of the whole zone has its geometry, by which other programs show it. */
type ShapeOf = (zone: string) => ZoneShape | undefined;

export function writePermits(permits: readonly FiledPermit[], shapeOf: ShapeOf): string {
  const features = permits.map(({ name, ...fields }) => {
    const drawn = fields.shape ?? shapeOf(fields.zone);
    return JSON.stringify({
      type: 'Feature',
      properties: { name, stroke: ZONE_COLOUR, 'stroke-width': 2, [OWN_FIELDS]: fields },
      geometry: drawn ? drawnGeometry(drawn) : null,
    });
  });
  return `{"type":"FeatureCollection","features":[\n${features.join(',\n')}\n]}\n`;
}

/**
 * Reads all permits of a file, or nothing: a permit that is read otherwise than it is meant would silence alarms. The file
 * is GeoJSON, or has operational intents (`operational-intent.ts`). A feature of another program needs the properties `name`, `start` and `end`, and may have `zone`, and `up_to_m` above
 * ground.
 * @param max how many permits a file may have
 */
export function readPermits(bytes: Uint8Array, max: number, shapeOf: ShapeOf): PermitsRead {
  if (bytes.length > IMPORT_MAX_BYTES)
    return failed([{ place: 'The file', problem: `has more than ${IMPORT_MAX_BYTES / 1e6} MB` }]);
  const { text, problem } = decoded(bytes);
  if (problem) return failed([problem]);
  const json = readJson(text);
  if ('problem' in json) return failed([json.problem]);
  const intents = intentsIn(json.value);
  const features = featuresOf(json.value);
  if (!features && !intents)
    return failed([
      { place: 'The file', problem: 'is no GeoJSON with a list of features, and has no operational intent' },
    ]);
  const problems: ImportProblem[] = [];
  const permits = [
    (features ?? []).flatMap((feature, index) => {
      const { geometry, properties } = fieldsOf(feature);
      const read = readPermit(geometry, fieldsOf(properties), `Feature ${index + 1}`, shapeOf);
      if ('permit' in read) return [read.permit];
      problems.push(...read.problems);
      return [];
    }),
    (intents ?? []).flatMap((intent, index) => {
      const read = readOperationalIntent(intent, `Intent ${index + 1}`);
      if (read.kind === 'permits') return read.permits.map((permit) => ({ ...permit, zone: '', expects_flight: true }));
      problems.push(...read.problems);
      return [];
    }),
  ].flat();
  if (problems.length > 0) return failed(problems);
  if (permits.length === 0) return failed([{ place: 'The file', problem: 'has no permits' }]);
  if (permits.length > max)
    return failed([
      { place: 'The file', problem: `has ${permits.length} permits; at most ${max} are imported at once` },
    ]);
  return { kind: 'permits', permits };
}

function failed(problems: readonly ImportProblem[]): PermitsRead {
  return { kind: 'problems', problems };
}

function featuresOf(document: unknown): readonly unknown[] | undefined {
  const { type, features } = fieldsOf(document);
  if (type === 'Feature') return [document];
  return type === 'FeatureCollection' && Array.isArray(features) ? features : undefined;
}

type Properties = ReturnType<typeof fieldsOf>;
type ReadPermit = { readonly permit: FiledPermit } | { readonly problems: readonly ImportProblem[] };

function readPermit(geometry: unknown, properties: Properties, number: string, shapeOf: ShapeOf): ReadPermit {
  const name = [...shownText(properties.name)].slice(0, SHORT_NAME_MAX_LENGTH).join('');
  const place = name === '' ? number : `${number} “${name.slice(0, 60)}”`;
  if (name === '' || UNPRINTABLE_IN_NAMES.test(name))
    return { problems: [{ place, problem: 'has no name on one line' }] };
  const own = properties[OWN_FIELDS];
  const { success, data, error } = ownFields.safeParse(own ?? foreignFields(properties));
  if (!success)
    return {
      problems: error.issues.map(({ path, message }) => ({
        place: [place, ...path].join(', '),
        problem: message,
      })),
    };
  // Any other geometry than the one that Lookout drew is an area of another program, or of a zone that is not here.
  const drawn = data.shape ?? shapeOf(data.zone);
  const isOwn = own !== undefined && (drawn ? isDrawnFrom(drawn, geometry) : false);
  const area = isOwn ? { shape: data.shape } : readArea(geometry, place);
  if ('problems' in area) return area;
  const problem = area.shape ? shapeProblem(area.shape) : undefined;
  if (problem !== undefined) return { problems: [{ place, problem }] };
  if (Date.parse(data.end) <= Date.parse(data.start))
    return { problems: [{ place, problem: 'ends before it begins' }] };
  return { permit: { ...data, name, shape: area.shape } };
}

/** Of a drone up to a height above ground, if one is stated. */
function foreignFields({ zone, start, end, up_to_m }: Properties): Record<string, unknown> {
  const hasLimit = up_to_m !== undefined && up_to_m !== null;
  return {
    zone: zone ?? '',
    layers: ['rid'],
    track: null,
    shape: null,
    vertical: hasLimit ? { field: 'height_agl_m', floor_m: null, ceiling_m: up_to_m } : null,
    start,
    end,
  };
}

/** No geometry is the whole zone. */
function readArea(
  geometry: unknown,
  place: string,
): { readonly shape: ZoneShape | null } | { readonly problems: readonly ImportProblem[] } {
  if (geometry === null || geometry === undefined) return { shape: null };
  const report = new ImportReport({});
  const { type } = fieldsOf(geometry);
  if (type !== 'Polygon')
    return {
      problems: [{ place, problem: `has a geometry of the type ${shown(type)}; a permit’s area is a Polygon` }],
    };
  const [read] = readFeatures([{ geometry, properties: {} }], 'Feature', report);
  const shape = read?.zones[0]?.shape;
  if (shape) return { shape };
  const problems = (read?.report.problems ?? []).map(({ problem }) => ({ place, problem }));
  return { problems: problems.length > 0 ? problems : [{ place, problem: 'has an area that cannot be read' }] };
}
