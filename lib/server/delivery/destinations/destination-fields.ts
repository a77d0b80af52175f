import 'server-only';
import type { Transaction } from 'kysely';
import { ApiError } from '#lib/api/error-code.ts';
import type { NewDestination } from '#lib/api/outputs/destinations.ts';
import { isTimeZone } from '#lib/time/time-zone.ts';
import type { Tables } from '../../database/tables/tables.ts';
import type { DestinationRow } from './destination-row.ts';
import { requireSecret } from './webhook-secret.ts';

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

/** @param secret null: none @param before kept if it is absent @throws ApiError for one that cannot sign */
export function secretsFor(
  { config: { kind } }: Fields,
  secret: string | null | undefined,
  before: readonly string[] = [],
): readonly string[] {
  if (secret === undefined) return before;
  if (secret === null) {
    if (kind === 'webhook') throw new ApiError('bad_body', 'secret: a webhook signs with one.');
    return [];
  }
  if (kind === 'webhook') requireSecret(secret);
  return [secret];
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
