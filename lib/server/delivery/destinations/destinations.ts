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
import {
  destinationConfigSchema,
  destinationNameSchema,
  destinationNamesSchema,
  secretPlaceOf,
} from '#lib/api/outputs/destinations.ts';
import type { PartFailureReason } from '#lib/api/ready-answer.ts';
import { epochMs, formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Database } from '../../database/database.ts';
import { orRefuse } from '../../database/database-failure.ts';
import { chargeStored } from '../../database/stored-bytes.ts';
import type { Tables } from '../../database/tables/tables.ts';
import type { KnownFailure } from '../../supervision/supervisor.ts';
import { keyOf, type Owner } from '../../views/owner.ts';
import { endDeliveries } from '../queue/give-up.ts';
import { columns, requireDestination, requireFree, secretsFor } from './destination-fields.ts';
import { destinationRows, secretsOf, toDestination } from './destination-row.ts';
import { requirePems } from './require-pems.ts';
import { writeTrial } from './trial.ts';
import { newWebhookSecret } from './webhook-secret.ts';

const DESTINATIONS_MAX = 50;
/** While they rotate. */
const SECRETS_MAX = 5;

interface Changed {
  readonly destination: Destination;
  /** Where Lookout made it. */
  readonly secret: string | null;
  /** Old and new host, where they differ. */
  readonly moved?: { readonly from: string | undefined; readonly to: string | undefined };
}

/** Methods throw `ApiError` where the database fails. */
export class Destinations {
  readonly #database: Database;
  readonly #now: () => UpstreamInstant;
  readonly #changed: () => void;
  readonly #failing: () => readonly KnownFailure[];

  /** @param changed called after each change */
  constructor(
    database: Database,
    now: () => UpstreamInstant,
    changed: () => void,
    failing: () => readonly KnownFailure[],
  ) {
    this.#failing = failing;
    this.#database = database;
    this.#now = now;
    this.#changed = changed;
  }

  async list(): Promise<readonly Destination[]> {
    const rows = await orRefuse(destinationRows(this.#database.query).orderBy('name').execute());
    const failing = this.#failing();
    return rows.map((row) => withFailure(toDestination(row), failing));
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

  /** @throws ApiError for a taken name, one too many, or an invalid time zone, secret or PEM */
  add({ secret, ...fields }: NewDestination): Promise<Changed> {
    const { secrets, made } = secretsFor(fields, secret);
    requirePems(fields.config, secrets[0]);
    const id = randomUUID();
    const row = columns(fields);
    return this.#change(id, async (query) => {
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
        .values({ id, revision: 1, ...row, secrets: JSON.stringify(secrets), ...off })
        .execute();
      return { secret: made };
    });
  }

  /** @throws ApiError as `add`, if its kind differs, if its secret must be given again, or if another change came first */
  change(id: string, { revision, secret, ...fields }: DestinationChange): Promise<Changed> {
    const row = columns(fields);
    return this.#change(id, async (query) => {
      const before = await requireDestination(query, id);
      if (before.revision !== revision)
        throw new ApiError(
          'revision_conflict',
          `The destination is at revision ${before.revision} now: read it again.`,
        );
      if (before.kind !== fields.config.kind)
        throw new ApiError('bad_body', `config.kind: stays ${before.kind}; add another destination.`);
      await requireFree(query, fields.name, id);
      const config = destinationConfigSchema.parse(JSON.parse(before.config));
      const { secrets, made } = secretsFor(fields, secret, { config, secrets: secretsOf(before) });
      requirePems(fields.config, secrets[0]);
      await query
        .updateTable('destination')
        .set({ revision: revision + 1, ...row, secrets: JSON.stringify(secrets) })
        .set(fields.is_on ? { switched_off_ms: null, switched_off_reason: null } : {})
        .where('id', '=', id)
        .execute();
      // The change may correct a failure.
      await query
        .updateTable('destination_health')
        .set({ next_try_ms: null, failures: 0 })
        .where('destination_id', '=', id)
        .execute();
      await query
        .updateTable('delivery')
        .set({ aside_until_ms: null })
        .where('destination_id', '=', id)
        .where('state', '=', 'waiting')
        .execute();
      if (!fields.is_on) await endDeliveries(query, id, 'The destination was switched off by an admin.');
      const [from, to] = [config, fields.config].map((each) => secretPlaceOf(each).text);
      return { secret: made, ...(from !== to && { moved: { from, to } }) };
    });
  }

  /** @throws ApiError if there is none @returns its name */
  async remove(id: string): Promise<string> {
    const name = await orRefuse(
      this.#database.change(async (query) => {
        const before = await requireDestination(query, id);
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
  async sendTrial(id: string, operator: Owner): Promise<{ readonly delivery: string; readonly name: string }> {
    const nowMs = Math.floor(epochMs(this.#now()));
    const trial = await orRefuse(
      this.#database.change(async (query) => {
        const { name, is_on, kind } = await requireDestination(query, id);
        if (kind === 'heartbeat')
          throw new ApiError('not_possible', 'A heartbeat takes no trial: it shows when its last request arrived.');
        if (is_on === 0) throw new ApiError('not_possible', 'It is off: switch it on first.');
        await chargeStored(query, keyOf(operator), 'trials of destinations', [], nowMs);
        return { delivery: await writeTrial(query, id, nowMs), name };
      }),
    );
    this.#changed();
    return trial;
  }

  #changeSecrets(id: string, secret: string | null, next: (secrets: readonly string[]) => readonly string[]) {
    return this.#change(id, async (query) => {
      const before = await requireDestination(query, id);
      if (before.kind !== 'webhook') throw new ApiError('not_possible', 'Only a webhook signs with secrets.');
      await query
        .updateTable('destination')
        .set({ secrets: JSON.stringify(next(secretsOf(before))), revision: before.revision + 1 })
        .where('id', '=', id)
        .execute();
      return { secret };
    });
  }

  async #change(
    id: string,
    run: (query: Transaction<Tables>) => Promise<Omit<Changed, 'destination'>>,
  ): Promise<Changed> {
    const changed = await orRefuse(
      this.#database.change(async (query) => {
        const done = await run(query);
        const row = await destinationRows(query).where('id', '=', id).executeTakeFirstOrThrow();
        return { ...done, destination: toDestination(row) };
      }),
    );
    this.#changed();
    return changed;
  }
}

const FAILURE_TEXT: Readonly<Record<PartFailureReason, string>> = {
  database_damaged: 'a table of its database is missing or does not fit',
  database_denied: 'its database refuses access',
  database_full: 'the disk of its database is full',
  database_busy: 'its database is busy',
  defect: 'it has a defect',
};

/** Shows what Lookout itself fails at before what the destination answered last. */
function withFailure(destination: Destination, failing: readonly KnownFailure[]): Destination {
  const { id, is_on, config } = destination;
  const failure = failing.find(({ part, of }) => {
    if (part === 'zone_states') return config.kind === 'mqtt';
    if (part === 'heartbeat') return config.kind === 'heartbeat';
    return part === 'delivery' && config.kind !== 'heartbeat' && (of === undefined || of === id);
  });
  if (!failure || !is_on) return destination;
  const text = `Lookout cannot send, because ${FAILURE_TEXT[failure.reason]}. Its log says more.`;
  return { ...destination, problem: { since: formatInstant(failure.since), text } };
}
