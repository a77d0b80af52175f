import 'server-only';
import { randomUUID } from 'node:crypto';
import { ApiError, ZONE_BODY_MAX_BYTES } from '#lib/api/error-code.ts';
import { NOTICE_KINDS } from '#lib/api/outputs/destination-kinds.ts';
import { type Bbox, bboxesOverlap, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { EARTH_RADIUS_M } from '#lib/geo/great-circle.ts';
import { epochMs, instantOf } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS } from '#lib/time/time-units.ts';
import { isInBoxOf } from '#lib/zones/expected-flight.ts';
import type { PermitTerms } from '#lib/zones/permit.ts';
import type { Rule } from '#lib/zones/rule.ts';
import { shapeBox } from '#lib/zones/shape-box.ts';
import { shapeProblem, termsProblem } from '#lib/zones/shape-problem.ts';
import type { ZoneContent } from '#lib/zones/zone.ts';
import { hoursProblem } from '#lib/zones/zone-hours.ts';
import { PERMIT_WITHOUT_ADMIN, ZONES_MAX } from '#lib/zones/zone-limits.ts';
import type { Query } from '../database/tables.ts';
import { requireInArea, type ZoneCaller } from './zone-rows.ts';

/** A body of an import has one zone a line. */
export const IMPORT_MAX = { lines: ZONES_MAX, bytes: ZONE_BODY_MAX_BYTES } as const;

/**
 * The content as it is stored: a rule that is not known by its id is new, and gets one.
 * @param before rules of the changed revision
 * @throws ApiError for content that can't be watched, or that a token must not write
 */
export function acceptedContent(
  content: ZoneContent,
  before: readonly Rule[],
  caller: Pick<ZoneCaller, 'area' | 'isProgram'>,
): ZoneContent {
  refuse('shape', shapeProblem(content.shape));
  refuse('hours', hoursProblem(content.hours));
  requireInArea(caller, shapeBox(content.shape, 0));
  // It has a price of its own for the past.
  if (caller.isProgram && content.history_requests_a_day > 0)
    throw new ApiError('not_permitted', 'A token’s zone reads no history: leave history_requests_a_day at 0.');
  const known = new Set(before.map(({ id }) => id));
  const rules = content.rules.map((rule) => ({ ...rule, id: known.delete(rule.id) ? rule.id : randomUUID() }));
  return { ...content, rules };
}

function refuse(field: 'shape' | 'hours', problem: string | undefined): void {
  if (problem !== undefined) throw new ApiError('bad_body', `${field}: ${problem}`);
}

/**
 * A heartbeat is no destination for alarms.
 * @param before rules of the changed revision, which may name destinations that were removed since
 * @throws ApiError for a rule that names no destination
 */
export async function requireDestinations(
  query: Query,
  rules: readonly Rule[],
  before: readonly Rule[] = [],
): Promise<void> {
  const named = namedBy(rules).difference(namedBy(before));
  if (named.size === 0) return;
  const known = await query
    .selectFrom('destination')
    .select('id')
    .where('id', 'in', [...named])
    .where('removed', '=', 0)
    .where('kind', 'in', NOTICE_KINDS)
    .execute();
  for (const { id } of known) named.delete(id);
  const [missing] = named;
  if (missing !== undefined) throw new ApiError('bad_body', `rules: there is no destination ${missing} for alarms.`);
}

function namedBy(rules: readonly Rule[]): Set<string> {
  return new Set(rules.flatMap(({ notify, escalate }) => [...notify, ...(escalate ? [escalate.destination] : [])]));
}

/** A longer one is forgotten by those who made it. */
const LENGTH_MAX_MS = 366 * DAY_MS;

interface PermitPlace {
  readonly zone: Pick<ZoneContent, 'shape'>;
  readonly caller: Pick<ZoneCaller, 'area' | 'isAdmin'>;
  readonly nowMs: number;
  /** The place in the body, such as `permits.2.` */
  readonly at: string;
}

/** @throws ApiError */
export function requirePermitTerms(
  terms: PermitTerms & { readonly expects_flight?: boolean },
  { zone, caller, nowMs, at }: PermitPlace,
): void {
  const { shape, track, layers, start, end } = terms;
  const [startMs, endMs] = [epochMs(instantOf(start)), epochMs(instantOf(end))];
  const refuse = (problem: string) => new ApiError('bad_body', `${at}${problem}`);
  const problem = termsProblem(terms);
  if (problem !== undefined) throw refuse(problem);
  const box = shapeBox(shape ?? zone.shape, 0);
  requireInArea(caller, box);
  if (endMs - startMs > LENGTH_MAX_MS) throw refuse('end: must be within 366 days of the start');
  if (track && !layers.includes(track.layer)) throw refuse('layers: lack that of the track');
  if (!bboxesOverlap(box, shapeBox(zone.shape, 0))) throw refuse('shape: lies outside its zone');
  if (terms.expects_flight && !isInBoxOf(shape, zone.shape))
    throw refuse('shape: reaches beyond its zone, where Lookout cannot say that a flight was not received');
  if (caller.isAdmin) return;
  const { days, wide_m, wide_hours } = PERMIT_WITHOUT_ADMIN;
  const aheadMs = endMs - nowMs;
  const needsAdmin = (from: string) =>
    new ApiError('needs_admin', `${at}end: is more than ${from}. Ask an admin to make this permit.`);
  if (aheadMs > days * DAY_MS) throw needsAdmin(`${days} days from now`);
  if (!track && aheadMs > wide_hours * HOUR_MS && longerSideM(box) > wide_m)
    throw needsAdmin(`${wide_hours} h from now, for an area wider than ${wide_m / 1000} km`);
}

function longerSideM(box: Bbox): number {
  const nearestLat = box.south <= 0 && box.north >= 0 ? 0 : Math.min(Math.abs(box.south), Math.abs(box.north));
  const eastward = lonSpanDeg(box) * Math.cos((nearestLat * Math.PI) / 180);
  return Math.max(latSpanDeg(box), eastward) * (Math.PI / 180) * EARTH_RADIUS_M;
}
