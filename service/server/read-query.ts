import type { z } from 'zod';
import { QUERY_LENGTH_LIMIT } from '#lib/contract/limits.ts';
import { Refusal } from '../http/refusal.ts';

/** Throws a 400 for an invalid query, or unknown or repeated parameters. */
export function readQuery<Schema extends z.ZodType>(
  query: string,
  known: readonly string[],
  schema: Schema,
): z.infer<Schema> {
  if (query.length >= QUERY_LENGTH_LIMIT) {
    throw new Refusal('invalid_request', `the encoded query must stay under ${QUERY_LENGTH_LIMIT} characters`);
  }
  const result = schema.safeParse(Object.fromEntries(readParameters(query, known)));
  if (result.success) return result.data;
  throw new Refusal('invalid_request', result.error.issues[0]?.message ?? 'the query is invalid');
}

function readParameters(query: string, known: readonly string[]): Map<string, string> {
  const parameters = new Map<string, string>();
  if (query === '') return parameters;
  for (const pair of query.split('&')) {
    const equalsAt = pair.indexOf('=');
    const name = decode(equalsAt === -1 ? pair : pair.slice(0, equalsAt));
    const value = decode(equalsAt === -1 ? '' : pair.slice(equalsAt + 1));
    if (!known.includes(name)) {
      // Without the name, which may be a misplaced key.
      throw new Refusal('invalid_request', `unknown parameter; this operation takes ${known.join(', ')}`);
    }
    if (parameters.has(name)) throw new Refusal('invalid_request', `${name} must be given once`);
    parameters.set(name, value);
  }
  return parameters;
}

/** `+` means a space: a timestamp's offset needs `%2B` (Query parameters: start). */
function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    throw new Refusal('invalid_request', 'the query must be percent-encoded UTF-8');
  }
}
