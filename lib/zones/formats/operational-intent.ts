import * as z from 'zod/mini';
import { plainLine, SHORT_NAME_MAX_LENGTH } from '#lib/text/plain-line.ts';
import { instantText } from '#lib/time/instant-schema.ts';
import { type PermitIntent, type PermitTerms, permitIntent, permitTermsSchema } from '../permit.ts';
import { termsProblem } from '../shape-problem.ts';
import { type ImportProblem, problemsOf } from './import-report.ts';
import { fieldsOf } from './read-values.ts';

/**
 * Permits of an operational intent of ASTM F3548-21, one of each volume. The fields are those of its public interface
 * (github.com/interuss/astm-utm-protocol), which says: unknown fields are ignored, and null is as absent.
 * docs/permits.md has the mapping, and what does not map.
 */
export type IntentRead =
  | { readonly permits: readonly IntentPermit[] }
  | { readonly problems: readonly ImportProblem[] };

interface IntentPermit extends PermitTerms {
  readonly name: string;
  readonly zone: '';
  readonly intent: PermitIntent;
  readonly expects_flight: true;
}

const time = z.object({
  value: instantText,
  format: z.literal('RFC3339', { error: 'must be RFC3339' }),
});
const metres = z.literal('M', { error: 'must be M' });
const altitude = z.nullish(
  z.object({ value: z.number(), reference: z.literal('W84', { error: 'must be W84' }), units: metres }),
);
const latLng = z.object({ lat: z.number(), lng: z.number() });
const volumeSchema = z.object({
  volume: z
    .object({
      outline_circle: z.nullish(z.object({ center: latLng, radius: z.object({ value: z.number(), units: metres }) })),
      outline_polygon: z.nullish(z.object({ vertices: z.array(latLng) })),
      altitude_lower: altitude,
      altitude_upper: altitude,
    })
    .check(
      z.refine(({ outline_circle, outline_polygon }) => !outline_circle !== !outline_polygon, {
        error: 'must have exactly one outline',
      }),
    ),
  time_start: time,
  time_end: time,
});
const intentSchema = z.object({
  reference: z.object({
    ...permitIntent.shape,
    manager: z.nullish(z.string()),
    state: z.enum(['Accepted', 'Activated'], {
      error: 'must be Accepted or Activated: in another state the flight is outside its volumes',
    }),
  }),
  details: z.object({
    volumes: z.array(volumeSchema).check(z.minLength(1, { error: 'has no volume' })),
    off_nominal_volumes: z.nullish(
      z.array(z.unknown()).check(z.maxLength(0, { error: 'are of a flight outside its plan, and not permitted' })),
    ),
  }),
});

/** Whether a document is an intent, an answer with one, or a list of these: not whether it is valid. */
export function intentsIn(document: unknown): readonly unknown[] | undefined {
  const all = Array.isArray(document) ? (document as unknown[]) : [document];
  const isIntent = (each: unknown) => isWrapped(each) || 'reference' in fieldsOf(each);
  return all.length > 0 && all.every(isIntent) ? all : undefined;
}

function isWrapped(document: unknown): boolean {
  const fields = fieldsOf(document);
  return 'operational_intent' in fields || 'operational_intent_id' in fields;
}

/**
 * All volumes, or nothing: a volume that is read otherwise than it is meant would silence alarms.
 * @param document an intent, or an answer or a notice of a USS with one as `operational_intent`
 */
export function readOperationalIntent(document: unknown, place: string): IntentRead {
  const intent = isWrapped(document) ? fieldsOf(document).operational_intent : document;
  if ((intent ?? null) === null)
    return { problems: [{ place, problem: 'has no operational_intent: its manager removed it' }] };
  const { success, data, error } = intentSchema.safeParse(intent);
  if (!success) return { problems: problemsOf(error, place) };
  const { id, version, manager } = data.reference;
  const { volumes } = data.details;
  const permits: IntentPermit[] = [];
  const problems: ImportProblem[] = [];
  for (const [index, volume] of volumes.entries()) {
    const at = `${place}, details.volumes.${index}`;
    const terms = permitTermsSchema.safeParse(termsOf(volume));
    const problem = terms.success ? termsProblem(terms.data) : undefined;
    if (!terms.success) problems.push(...problemsOf(terms.error, at));
    else if (problem !== undefined) problems.push({ place: at, problem });
    else {
      const name = nameOf(id, manager ?? '', volumes.length === 1 ? '' : ` ${index + 1}/${volumes.length}`);
      permits.push({ ...terms.data, name, zone: '', intent: { id, version }, expects_flight: true });
    }
  }
  return problems.length > 0 ? { problems } : { permits };
}

function termsOf({ volume, time_start, time_end }: z.infer<typeof volumeSchema>) {
  const { outline_circle: circle, outline_polygon: polygon, altitude_lower, altitude_upper } = volume;
  const [floor_m, ceiling_m] = [altitude_lower?.value ?? null, altitude_upper?.value ?? null];
  const ring = polygon?.vertices.map(({ lng, lat }) => [lng, lat]) ?? [];
  return {
    layers: ['rid'],
    track: null,
    shape: circle
      ? { type: 'Circle', centre: [circle.center.lng, circle.center.lat], radius_m: circle.radius.value }
      : // The interface leaves out the last corner, which GeoJSON repeats.
        { type: 'Polygon', coordinates: [[...ring, ...ring.slice(0, 1)]] },
    vertical: floor_m === null && ceiling_m === null ? null : { field: 'altitude_m', floor_m, ceiling_m },
    start: time_start.value,
    end: time_end.value,
  };
}

/** `Intent 2f8343be of uss1 2/3`: managers are of another program. */
function nameOf(id: string, manager: string, ofAll: string): string {
  const by = plainLine(manager);
  const name = `Intent ${id.slice(0, 8)}${by === '' ? '' : ` of ${by}`}`;
  return `${[...name].slice(0, SHORT_NAME_MAX_LENGTH - ofAll.length).join('')}${ofAll}`;
}
