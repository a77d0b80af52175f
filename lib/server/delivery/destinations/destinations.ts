import 'server-only';
import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import { ApiError } from '#lib/api/error-code.ts';
import type {
  Destination,
  DestinationChange,
  DestinationsAnswer,
  NewDestination,
} from '#lib/api/outputs/destinations.ts';
import { destinationNameSchema, destinationNamesSchema } from '#lib/api/outputs/destinations.ts';
import { epochMs, formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { isTimeZone } from '#lib/zones/zone-hours.ts';
import type { Database } from '../../database/database.ts';
import { orRefuse } from '../../database/database-failure.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { nextNumbers } from '../fan-out/delivery-numbers.ts';
import { endDeliveries } from '../queue/give-up.ts';
import { type DestinationRow, destinationRows, secretsOf, toDestination } from './destination-row.ts';
import { newWebhookSecret, requireSecret } from './webhook-secret.ts';

const DESTINATIONS_MAX = 50;
/** While they rotate. */
const SECRETS_MAX = 5;
/** Certificates and keys. */
export const DESTINATION_BODY_MAX_BYTES = 131_072;

interface Changed {
  readonly destination: Destination;
  /** Where Lookout made it. */
  readonly secret: string | null;
}

/** Methods throw `ApiError` where the database fails. */
export class Destinations {
  readonly #database: Database;
  readonly #now: () => UpstreamInstant;
  readonly #changed: () => void;

  /** @param changed called after each change */
  constructor(database: Database, now: () => UpstreamInstant, changed: () => void) {
    this.#database = database;
    this.#now = now;
    this.#changed = changed;
  }

  async list(): Promise<readonly Destination[]> {
    const rows = await orRefuse(destinationRows(this.#database.query).orderBy('name').execute());
    return rows.map(toDestination);
  }

  async report(): Promise<DestinationsAnswer> {
    return { as_of: formatInstant(this.#now()), destinations: [...(await this.list())] };
  }

  /** For rules. */
  async names() {
    const all = await this.list();
    return destinationNamesSchema.parse({
      destinations: all.flatMap(({ id, name, config: { kind }, is_on }) => {
        const named = destinationNameSchema.safeParse({ id, name, kind, is_on });
        return named.success ? [named.data] : [];
      }),
    });
  }

  /** @throws ApiError for a taken name, one too many, or an invalid time zone or secret */
  add({ secret, ...fields }: NewDestination): Promise<Changed> {
    const made = secret === undefined && fields.config.kind === 'webhook' ? newWebhookSecret() : null;
    const secrets = made === null ? secretsFor(fields, secret) : [made];
    const id = randomUUID();
    return this.#change(id, made, async (query) => {
      const { count } = await query
        .selectFrom('destination')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('removed', '=', 0)
        .executeTakeFirstOrThrow();
      if (Number(count) >= DESTINATIONS_MAX)
        throw new ApiError('not_possible', `There are at most ${DESTINATIONS_MAX} destinations; remove one first.`);
      await requireFree(query, fields.name, id);
      const off = { switched_off_ms: null, switched_off_reason: null, removed: 0 } as const;
      await query
        .insertInto('destination')
        .values({ id, revision: 1, ...columns(fields), secrets: JSON.stringify(secrets), ...off })
        .execute();
    });
  }

  /** @throws ApiError as `add`, if there is none, if its kind differs, or if another change came first */
  change(id: string, { revision, secret, ...fields }: DestinationChange): Promise<Changed> {
    return this.#change(id, null, async (query) => {
      const before = await this.#row(query, id);
      if (before.revision !== revision)
        throw new ApiError(
          'revision_conflict',
          `The destination is at revision ${before.revision} now: read it again.`,
        );
      if (before.kind !== fields.config.kind)
        throw new ApiError('bad_body', `config.kind: stays ${before.kind}; add another destination.`);
      await requireFree(query, fields.name, id);
      const secrets =
        secret === undefined ? secretsFor(fields, undefined, secretsOf(before)) : secretsFor(fields, secret);
      await query
        .updateTable('destination')
        .set({ revision: revision + 1, ...columns(fields), secrets: JSON.stringify(secrets) })
        .set(fields.is_on ? { switched_off_ms: null, switched_off_reason: null } : {})
        .where('id', '=', id)
        .execute();
      // What failed may have been corrected.
      await query
        .updateTable('destination_health')
        .set({ next_try_ms: null, failures: 0 })
        .where('destination_id', '=', id)
        .execute();
      if (!fields.is_on) await endDeliveries(query, id, 'The destination was switched off by an admin.');
    });
  }

  /** @throws ApiError if there is none @returns its name */
  async remove(id: string): Promise<string> {
    const name = await orRefuse(
      this.#database.change(async (query) => {
        const before = await this.#row(query, id);
        await endDeliveries(query, id, 'The destination was removed.');
        await query
          .updateTable('destination')
          .set({ removed: 1, is_on: 0, secrets: '[]', config: '{}' })
          .where('id', '=', id)
          .execute();
        await query.deleteFrom('destination_health').where('destination_id', '=', id).execute();
        return before.name;
      }),
    );
    this.#changed();
    return name;
  }

  /** The old ones go on signing. @throws ApiError if it is no webhook, or has too many */
  makeSecret(id: string): Promise<Changed> {
    const secret = newWebhookSecret();
    return this.#changeSecrets(id, secret, (secrets) => {
      if (secrets.length >= SECRETS_MAX)
        throw new ApiError('not_possible', `It has ${SECRETS_MAX} secrets: drop the old ones first.`);
      return [secret, ...secrets];
    });
  }

  /** All but the newest. @throws ApiError if it is no webhook */
  dropSecrets(id: string): Promise<Changed> {
    return this.#changeSecrets(id, null, (secrets) => secrets.slice(0, 1));
  }

  /** @throws ApiError if it is off, or a heartbeat @returns the id of the delivery, and the name */
  async sendTrial(id: string): Promise<{ readonly delivery: string; readonly name: string }> {
    const nowMs = Math.floor(epochMs(this.#now()));
    const trial = await orRefuse(
      this.#database.change(async (query) => {
        const { name, is_on, kind } = await this.#row(query, id);
        if (kind === 'heartbeat')
          throw new ApiError('not_possible', 'A heartbeat takes no trial: it shows when its last request arrived.');
        if (is_on === 0) throw new ApiError('not_possible', 'It is off: switch it on first.');
        const delivery = randomUUID();
        const number = await nextNumbers(query, 1);
        const times = { created_ms: nowMs, due_ms: nowMs, arrived_ms: null };
        const row = { id: delivery, destination_id: id, number, type: 'trial', group_key: '', state: 'waiting' };
        await query
          .insertInto('delivery')
          .values({ ...row, ...times, tries: 0, problem: null })
          .execute();
        // A trial shows at once whether it works again.
        await query
          .updateTable('destination_health')
          .set({ next_try_ms: null })
          .where('destination_id', '=', id)
          .execute();
        return { delivery, name };
      }),
    );
    this.#changed();
    return trial;
  }

  #changeSecrets(id: string, secret: string | null, next: (secrets: readonly string[]) => readonly string[]) {
    return this.#change(id, secret, async (query) => {
      const before = await this.#row(query, id);
      if (before.kind !== 'webhook') throw new ApiError('not_possible', 'Only a webhook signs with secrets.');
      await query
        .updateTable('destination')
        .set({ secrets: JSON.stringify(next(secretsOf(before))), revision: before.revision + 1 })
        .where('id', '=', id)
        .execute();
    });
  }

  async #change(
    id: string,
    secret: string | null,
    run: (query: Transaction<Tables>) => Promise<void>,
  ): Promise<Changed> {
    const row = await orRefuse(
      this.#database.change(async (query) => {
        await run(query);
        return destinationRows(query).where('id', '=', id).executeTakeFirstOrThrow();
      }),
    );
    this.#changed();
    return { destination: toDestination(row), secret };
  }

  async #row(query: Transaction<Tables>, id: string): Promise<DestinationRow> {
    const row = await query
      .selectFrom('destination')
      .selectAll()
      .where('id', '=', id)
      .where('removed', '=', 0)
      .executeTakeFirst();
    if (!row) throw new ApiError('not_found', 'There is no such destination.');
    return row;
  }
}

type Fields = Omit<NewDestination, 'secret'>;

function columns({ name, is_on, config, units, time_zone, announces, group_s, notices_an_hour }: Fields) {
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

/** @param before kept if no secret is given */
function secretsFor({ config }: Fields, secret: string | undefined, before: readonly string[] = []): readonly string[] {
  if (secret === undefined) return before;
  if (config.kind === 'webhook') requireSecret(secret);
  return [secret];
}

async function requireFree(query: Transaction<Tables>, name: string, id: string): Promise<void> {
  const taken = await query
    .selectFrom('destination')
    .select('id')
    .where('name', '=', name)
    .where('removed', '=', 0)
    .where('id', '<>', id)
    .executeTakeFirst();
  if (taken) throw new ApiError('name_taken', `There is a destination named ${JSON.stringify(name)} already.`);
}
