import * as z from 'zod/mini';
import { plainLine, SHORT_NAME_MAX_LENGTH } from '#lib/text/plain-line.ts';
import { instantText } from '#lib/time/instant-schema.ts';
import { HEIGHT_LIMITS_M } from '../height-field.ts';
import type { PermitTerms } from '../permit.ts';
import { inLimits } from '../rule.ts';
import { shapeProblem } from '../shape-problem.ts';
import type { ZoneShape } from '../zone.ts';
import { ZONE_LIMITS } from '../zone-limits.ts';
import type { ImportProblem } from './import-report.ts';
import { fieldsOf } from './read-values.ts';

/**
 * Permits of an operational intent of ASTM F3548-21, one of each volume. The fields are those of its public interface
 * (github.com/interuss/astm-utm-protocol), which says: unknown fields are ignored, and null is as absent.
 * docs/permits.md has the mapping, and what does not map.
 */
export type IntentRead =
  | { readonly kind: 'permits'; readonly permits: readonly IntentPermit[] }
  | { readonly kind: 'problems'; readonly problems: readonly ImportProblem[] };

interface IntentPermit extends PermitTerms {
  readonly name: string;
}

const time = z.object({
  value: instantText,
  format: z.literal('RFC3339', { error: 'must be RFC3339' }),
});
const metres = z.literal('M', { error: 'must be M' });
const altitude = z.nullish(
  z.object({
    value: z.number().check(...inLimits(HEIGHT_LIMITS_M)),
    reference: z.literal('W84', { error: 'must be W84' }),
    units: metres,
  }),
);
const latLng = z.object({
  lat: z.number().check(z.gte(-90), z.lte(90)),
  lng: z.number().check(z.gte(-180), z.lte(180)),
});
const volumeSchema = z.object({
  volume: z.object({
    outline_circle: z.nullish(
      z.object({
        center: latLng,
        radius: z.object({ value: z.number().check(...inLimits(ZONE_LIMITS.radius_m)), units: metres }),
      }),
    ),
    outline_polygon: z.nullish(z.object({ vertices: z.array(latLng).check(z.minLength(3)) })),
    altitude_lower: altitude,
    altitude_upper: altitude,
  }),
  time_start: time,
  time_end: time,
});
const intentSchema = z.object({
  reference: z.object({
    id: z.string().check(z.minLength(1)),
    manager: z.nullish(z.string()),
    state: z.enum(['Accepted', 'Activated', 'Nonconforming', 'Contingent']),
  }),
  details: z.object({
    volumes: z.nullish(z.array(volumeSchema)),
    off_nominal_volumes: z.nullish(z.array(z.unknown())),
  }),
});
type Volume = z.infer<typeof volumeSchema>;

/** Whether a document is an intent, an answer with one, or a list of these: not whether it is valid. */
export function intentsIn(document: unknown): readonly unknown[] | undefined {
  const all = Array.isArray(document) ? (document as unknown[]) : [document];
  const isIntent = (each: unknown) => {
    const fields = fieldsOf(each);
    return 'operational_intent' in fields || 'operational_intent_id' in fields || 'reference' in fields;
  };
  return all.length > 0 && all.every(isIntent) ? all : undefined;
}

/**
 * All volumes, or nothing: a volume that is read otherwise than it is meant would silence alarms.
 * @param document an intent, or an answer or a notice of a USS with one as `operational_intent`
 */
export function readOperationalIntent(document: unknown, place: string): IntentRead {
  const fields = fieldsOf(document);
  const isWrapped = 'operational_intent' in fields || 'operational_intent_id' in fields;
  const intent = isWrapped ? fields.operational_intent : document;
  const failed = (...problems: readonly (readonly [path: string, problem: string])[]): IntentRead => ({
    kind: 'problems',
    problems: problems.map(([path, problem]) => ({ place: path === '' ? place : `${place}, ${path}`, problem })),
  });
  if (isWrapped && (intent === undefined || intent === null))
    return failed(['', 'has no operational_intent: its manager removed it']);
  const { success, data, error } = intentSchema.safeParse(intent);
  if (!success) return failed(...error.issues.map(({ path, message }) => [pathText(path), message] as const));
  const { reference, details } = data;
  if (reference.state !== 'Accepted' && reference.state !== 'Activated')
    return failed([
      'reference.state',
      `is ${reference.state}: the flight is outside its volumes, so nothing is permitted`,
    ]);
  if ((details.off_nominal_volumes ?? []).length > 0)
    return failed(['details.off_nominal_volumes', 'are volumes of a flight outside its plan, which are not permitted']);
  const volumes = details.volumes ?? [];
  if (volumes.length === 0) return failed(['details.volumes', 'has no volume']);
  const permits: IntentPermit[] = [];
  const problems: (readonly [string, string])[] = [];
  for (const [index, volume] of volumes.entries()) {
    const read = termsOf(volume);
    if ('problem' in read) problems.push([`details.volumes.${index}${read.at}`, read.problem]);
    else
      permits.push({ ...read, name: nameOf(reference, volumes.length === 1 ? '' : ` ${index + 1}/${volumes.length}`) });
  }
  return problems.length > 0 ? failed(...problems) : { kind: 'permits', permits };
}

function termsOf({
  volume,
  time_start,
  time_end,
}: Volume): PermitTerms | { readonly at: string; readonly problem: string } {
  const { outline_circle: circle, outline_polygon: polygon, altitude_lower, altitude_upper } = volume;
  if ((circle ? 1 : 0) + (polygon ? 1 : 0) !== 1) return { at: '.volume', problem: 'must have exactly one outline' };
  const corners = new Set(polygon?.vertices.map(({ lat, lng }) => `${lat} ${lng}`));
  if (polygon && corners.size < polygon.vertices.length) return { at: '.volume', problem: 'has a vertex twice' };
  const shape = circle ? circleOf(circle) : polygonOf(polygon?.vertices ?? []);
  const problem = shape && shapeProblem(shape);
  if (problem !== undefined) return { at: '.volume', problem };
  const [floor_m, ceiling_m] = [altitude_lower?.value ?? null, altitude_upper?.value ?? null];
  if (floor_m !== null && ceiling_m !== null && floor_m >= ceiling_m)
    return { at: '.volume.altitude_lower', problem: 'must be below altitude_upper' };
  if (Date.parse(time_end.value) <= Date.parse(time_start.value))
    return { at: '.time_end', problem: 'must be after time_start' };
  return {
    layers: ['rid'],
    track: null,
    shape,
    vertical: floor_m === null && ceiling_m === null ? null : { field: 'altitude_m', floor_m, ceiling_m },
    start: time_start.value,
    end: time_end.value,
  };
}

function circleOf({ center, radius }: NonNullable<Volume['volume']['outline_circle']>): ZoneShape {
  return { type: 'Circle', centre: [center.lng, center.lat], radius_m: radius.value };
}

/** The interface leaves out the last corner, which GeoJSON repeats. */
function polygonOf(vertices: readonly z.infer<typeof latLng>[]): ZoneShape {
  const ring = vertices.map(({ lng, lat }): [number, number] => [lng, lat]);
  return { type: 'Polygon', coordinates: [[...ring, ring[0] as [number, number]]] };
}

/** `Intent 2f8343be of uss1 2/3`: ids and managers are of another program. */
function nameOf({ id, manager }: z.infer<typeof intentSchema>['reference'], ofAll: string): string {
  const by = plainLine(manager ?? '');
  const name = plainLine(`Intent ${id.slice(0, 8)}${by === '' ? '' : ` of ${by}`}`);
  return `${[...name].slice(0, SHORT_NAME_MAX_LENGTH - ofAll.length).join('')}${ofAll}`;
}

function pathText(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}
