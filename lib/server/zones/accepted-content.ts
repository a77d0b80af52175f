import 'server-only';
import { randomUUID } from 'node:crypto';
import { ApiError, ZONE_BODY_MAX_BYTES } from '#lib/api/error-code.ts';
import { NOTICE_KINDS } from '#lib/api/outputs/destination-kinds.ts';
import { epochMs, instantOf } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import type { PermitTerms } from '#lib/zones/permit.ts';
import type { Rule } from '#lib/zones/rule.ts';
import { shapeProblem } from '#lib/zones/shape-problem.ts';
import type { ZoneContent } from '#lib/zones/zone.ts';
import { hoursProblem } from '#lib/zones/zone-hours.ts';
import { ZONES_MAX } from '#lib/zones/zone-limits.ts';
import type { Query } from '../database/tables.ts';

/** A body of an import has one zone a line. */
export const IMPORT_MAX = { lines: ZONES_MAX, bytes: ZONE_BODY_MAX_BYTES } as const;

/**
 * The content as it is stored: a rule that is not known by its id is new, and gets one.
 * @param before rules of the changed revision
 * @throws ApiError for content that can't be watched
 */
export function acceptedContent(content: ZoneContent, before: readonly Rule[]): ZoneContent {
  refuse('shape', shapeProblem(content.shape));
  refuse('hours', hoursProblem(content.hours));
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

/** @throws ApiError @param at the place in the body, such as `permits.2.` */
export function requirePermitTerms({ shape, track, layers, start, end }: PermitTerms, at: string): void {
  const [startMs, endMs] = [epochMs(instantOf(start)), epochMs(instantOf(end))];
  const problem = shape ? shapeProblem(shape) : undefined;
  if (problem !== undefined) throw new ApiError('bad_body', `${at}shape: ${problem}`);
  if (endMs <= startMs) throw new ApiError('bad_body', `${at}end: must be after the start`);
  if (endMs - startMs > LENGTH_MAX_MS) throw new ApiError('bad_body', `${at}end: must be within 366 days of the start`);
  if (track && !layers.includes(track.layer)) throw new ApiError('bad_body', `${at}layers: lack that of the track`);
}
