import 'server-only';
import { randomUUID } from 'node:crypto';
import { ApiError } from '#lib/api/error-code.ts';
import type { Rule } from '#lib/zones/rule.ts';
import { shapeProblem } from '#lib/zones/shape-problem.ts';
import type { ZoneContent } from '#lib/zones/zone.ts';
import { hoursProblem } from '#lib/zones/zone-hours.ts';

/** The most that a request may send. A zone of 500 corners with all its rules and permits is smaller. */
export const ZONE_BODY_MAX_BYTES = 65_536;

/**
 * The content as it is stored: a rule keeps the id that it had before, and a new one gets its own.
 * @param before rules of the revision that the operator changed
 * @throws ApiError that says what cannot be watched
 */
export function acceptedContent(content: ZoneContent, before: readonly Rule[]): ZoneContent {
  refuse('shape', shapeProblem(content.shape));
  refuse('hours', hoursProblem(content.hours));
  const known = new Set(before.map(({ id }) => id));
  const rules = content.rules.map((rule) => ({ ...rule, id: known.delete(rule.id) ? rule.id : randomUUID() }));
  return { ...content, rules };
}

/** Names the field first, as problems with the schema do. */
function refuse(field: 'shape' | 'hours', problem: string | undefined): void {
  if (problem !== undefined) throw new ApiError('bad_body', `${field}: ${problem}`);
}
