import 'server-only';
import { randomUUID } from 'node:crypto';
import { ApiError } from '#lib/api/error-code.ts';
import type { Rule } from '#lib/zones/rule.ts';
import type { ZoneContent } from '#lib/zones/zone.ts';

/** The most that a request may send. A zone of 500 corners with all its rules and permits is smaller. */
export const ZONE_BODY_MAX_BYTES = 65_536;

/**
 * The content as it is stored: a rule keeps the id that it had before, and a new one gets its own.
 * @param before rules of the revision that the operator changed
 * @throws ApiError that says what cannot be watched
 */
export function acceptedContent(content: ZoneContent, before: readonly Rule[]): ZoneContent {
  const problem = contentProblem(content);
  if (problem !== undefined) throw new ApiError('bad_body', problem);
  const known = new Set(before.map(({ id }) => id));
  const rules = content.rules.map((rule) => ({ ...rule, id: known.delete(rule.id) ? rule.id : randomUUID() }));
  return { ...content, rules };
}

function contentProblem({ hours }: ZoneContent): string | undefined {
  if (hours && !isTimeZone(hours.time_zone)) return `hours.time_zone: ${JSON.stringify(hours.time_zone)} is unknown`;
  return undefined;
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
