import 'server-only';
import { randomUUID } from 'node:crypto';
import { ApiError } from '#lib/api/error-code.ts';
import type { Rule } from '#lib/zones/rule.ts';
import { shapeProblem } from '#lib/zones/shape-problem.ts';
import type { ZoneContent } from '#lib/zones/zone.ts';
import { hoursProblem } from '#lib/zones/zone-hours.ts';
import { ZONES_MAX } from '#lib/zones/zone-limits.ts';

/** More than 500 corners with all rules and permits. */
export const ZONE_BODY_MAX_BYTES = 65_536;
/** One zone a line. */
export const IMPORT_MAX = { lines: ZONES_MAX, bytes: ZONE_BODY_MAX_BYTES } as const;

/**
 * Gives new rules an id.
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
