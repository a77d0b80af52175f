import * as z from 'zod/mini';
import { SHORT_NAME_MAX_LENGTH, UNPRINTABLE_IN_NAMES } from '#lib/text/plain-line.ts';
import { type PermitIntent, type PermitTerms, permitTerms } from '../permit.ts';
import { termsProblem } from '../shape-problem.ts';
import type { ZoneShape } from '../zone.ts';
import { drawnGeometry } from './drawn-geometry.ts';
import { decoded, readJson } from './file-text.ts';
import { isDrawnFrom, readFeatures, ZONE_COLOUR } from './geojson.ts';
import { type ImportProblem, ImportReport, problemsOf } from './import-report.ts';
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
  readonly intent?: PermitIntent;
}

export type PermitsRead =
  | { readonly permits: readonly FiledPermit[] }
  | { readonly problems: readonly ImportProblem[] };

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
 * is GeoJSON, or has operational intents. A feature of another program needs the properties `name`, `start` and `end`, and
 * may have `zone`, and `up_to_m` above ground.
 * @param max how many permits a file may have
 */
export function readPermits(bytes: Uint8Array, max: number, shapeOf: ShapeOf): PermitsRead {
  if (bytes.length > IMPORT_MAX_BYTES) return failed(`has more than ${IMPORT_MAX_BYTES / 1e6} MB`);
  const { text, problem } = decoded(bytes);
  if (problem) return { problems: [problem] };
  const json = readJson(text);
  if ('problem' in json) return { problems: [json.problem] };
  const read =
    featuresOf(json.value)?.map((feature, index) => readPermit(feature, `Feature ${index + 1}`, shapeOf)) ??
    intentsIn(json.value)?.map((intent, index) => readOperationalIntent(intent, `Intent ${index + 1}`));
  if (!read) return failed('is no GeoJSON with a list of features, and has no operational intent');
  const problems = read.flatMap((each) => ('problems' in each ? each.problems : []));
  if (problems.length > 0) return { problems };
  const permits = read.flatMap((each) => ('permits' in each ? each.permits : []));
  if (permits.length === 0) return failed('has no permits');
  if (permits.length > max) return failed(`has ${permits.length} permits; at most ${max} are imported at once`);
  return { permits };
}

function failed(problem: string): PermitsRead {
  return { problems: [{ place: 'The file', problem }] };
}

function featuresOf(document: unknown): readonly unknown[] | undefined {
  const { type, features } = fieldsOf(document);
  if (type === 'Feature') return [document];
  return type === 'FeatureCollection' && Array.isArray(features) ? features : undefined;
}

function readPermit(feature: unknown, number: string, shapeOf: ShapeOf): PermitsRead {
  const { geometry, ...fields } = fieldsOf(feature);
  const properties = fieldsOf(fields.properties);
  const name = [...shownText(properties.name)].slice(0, SHORT_NAME_MAX_LENGTH).join('');
  const place = name === '' ? number : `${number} “${name.slice(0, 60)}”`;
  if (name === '' || UNPRINTABLE_IN_NAMES.test(name))
    return { problems: [{ place, problem: 'has no name on one line' }] };
  const own = properties[OWN_FIELDS];
  const { success, data, error } = ownFields.safeParse(own ?? foreignFields(properties));
  if (!success) return { problems: problemsOf(error, place) };
  // Any other geometry than the one that Lookout drew is an area of another program, or of a zone that is not here.
  const drawn = data.shape ?? shapeOf(data.zone);
  const isOwn = own !== undefined && (drawn ? isDrawnFrom(drawn, geometry) : false);
  const area = isOwn ? { shape: data.shape } : readArea(geometry, place);
  if ('problems' in area) return area;
  const permit = { ...data, name, shape: area.shape };
  const problem = termsProblem(permit);
  return problem === undefined ? { permits: [permit] } : { problems: [{ place, problem }] };
}

/** Of a drone up to a height above ground, if one is stated. */
function foreignFields({ zone, start, end, up_to_m }: ReturnType<typeof fieldsOf>): Record<string, unknown> {
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
): Pick<PermitTerms, 'shape'> | { readonly problems: readonly ImportProblem[] } {
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
