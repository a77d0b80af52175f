import 'server-only';
import type { Transaction } from 'kysely';
import { ApiError } from '#lib/api/error-code.ts';
import {
  type DestinationConfig,
  movesSecret,
  type NewDestination,
  secretPlaceOf,
} from '#lib/api/outputs/destinations.ts';
import { isTimeZone } from '#lib/time/time-zone.ts';
import type { Tables } from '../../database/tables/tables.ts';
import type { DestinationRow } from './destination-row.ts';
import { newWebhookSecret, requireSecret } from './webhook-secret.ts';

type Fields = Omit<NewDestination, 'secret'>;

/** @throws ApiError for an unknown time zone */
export function columns({ name, is_on, config, units, time_zone, announces, group_s, notices_an_hour }: Fields) {
  if (!isTimeZone(time_zone))
    throw new ApiError(
      'bad_body',
      `time_zone: “${time_zone}” is not an IANA time zone; write a name such as Europe/Zurich.`,
    );
  const choices = { units, time_zone, announces: JSON.stringify(announces), group_s, notices_an_hour };
  return {
    name,
    is_on: is_on ? (1 as const) : (0 as const),
    kind: config.kind,
    config: JSON.stringify(config),
    ...choices,
  };
}

/**
 * @param before of the changed destination, whose secrets stay where `secret` is absent
 * @throws ApiError for one that cannot sign, or that must be given again
 */
export function secretsFor(
  { config }: Fields,
  secret: string | null | undefined,
  before?: { readonly config: DestinationConfig; readonly secrets: readonly string[] },
): { readonly secrets: readonly string[]; readonly made: string | null } {
  const kept = before?.secrets ?? [];
  const isMoved = before !== undefined && kept.length > 0 && movesSecret(before.config, config);
  const signs = config.kind === 'webhook';
  if (secret === undefined && isMoved) {
    const [from, to] = [before.config, config].map((each) => secretPlaceOf(each).text);
    const where = from === to ? `another authority or name for ${to}` : `${to} in place of ${from}`;
    const orNew = signs ? ', or null for a new one' : '';
    throw new ApiError('bad_body', `secret: give it again${orNew}: it would go to ${where}.`);
  }
  if (signs && (before === undefined || isMoved) && (secret ?? undefined) === undefined) {
    const made = newWebhookSecret();
    return { secrets: [made], made };
  }
  if (secret === undefined) return { secrets: kept, made: null };
  if (secret === null) {
    if (signs) throw new ApiError('bad_body', 'secret: a webhook signs with one.');
    return { secrets: [], made: null };
  }
  if (signs) requireSecret(secret);
  return { secrets: [secret], made: null };
}

/** @throws ApiError for a taken name */
export async function requireFree(query: Transaction<Tables>, name: string, id: string): Promise<void> {
  const taken = await query
    .selectFrom('destination')
    .select('id')
    .where('name', '=', name)
    .where('removed', '=', 0)
    .where('id', '<>', id)
    .executeTakeFirst();
  if (taken) throw new ApiError('name_taken', `There is a destination named ${JSON.stringify(name)} already.`);
}

/** @throws ApiError if there is none */
export async function requireDestination(query: Transaction<Tables>, id: string): Promise<DestinationRow> {
  const row = await query
    .selectFrom('destination')
    .selectAll()
    .where('id', '=', id)
    .where('removed', '=', 0)
    .executeTakeFirst();
  if (!row) throw new ApiError('not_found', 'There is no such destination.');
  return row;
}
