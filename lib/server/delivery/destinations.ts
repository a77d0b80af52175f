import 'server-only';
import { randomUUID } from 'node:crypto';
import { type Selectable, sql, type Transaction } from 'kysely';
import { ApiError } from '#lib/api/error-code.ts';
import type { PartFailureReason } from '#lib/api/operation/ready-answer.ts';
import { kindRow, secretPlaceOf } from '#lib/api/outputs/destination-kinds.ts';
import {
  type Destination,
  type DestinationChange,
  type DestinationsAnswer,
  destinationNameSchema,
  destinationNamesSchema,
  type NewDestination,
} from '#lib/api/outputs/destinations.ts';
import { epochMs, formatInstant, isoTime, isoTimeOrNull, type UpstreamInstant } from '#lib/time/instant.ts';
import { isTimeZone } from '#lib/time/time-zone.ts';
import type { Database } from '../database/database.ts';
import { chargeStored } from '../database/stored-bytes.ts';
import type { Query, Tables } from '../database/tables.ts';
import type { KnownFailure } from '../supervision/supervisor.ts';
import { type Owner, ownerKey } from '../views/owner.ts';
import { newWebhookSecret, requirePems, secretsFor } from './destination-secrets.ts';
import { nextNumbers } from './fan-out.ts';
import { announcesOf, configOf, secretsOf, unitsOf } from './kinds.ts';
import { endDeliveries } from './queue.ts';

const DESTINATIONS_MAX = 50;
/** A webhook has so many secrets while they rotate. */
const SECRETS_MAX = 5;

interface Changed {
  readonly destination: Destination;
  /** The secret that Lookout made. */
  readonly secret: string | null;
  /** Old and new host, where they differ. */
  readonly moved?: { readonly from: string; readonly to: string };
}

/**
 * The destinations as admins manage them: list, add, change, remove, rotate secrets, send a trial. Answers contain no
 * secrets, but for one that Lookout has just made. Methods reject with a `DatabaseFailure` where the database fails.
 */
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
    const rows = await destinationRows(this.#database.query).orderBy('name').execute();
    const failing = this.#failing();
    return rows.map((row) => withFailure(toDestination(row), failing));
  }

  async report(): Promise<DestinationsAnswer> {
    return { as_of: formatInstant(this.#now()), destinations: [...(await this.list())] };
  }

  /** The destinations that a rule may name. */
  async names() {
    const all = await this.list();
    return destinationNamesSchema.parse({
      destinations: all.flatMap(({ id, name, config: { kind }, is_on, all_alarms }) => {
        const named = destinationNameSchema.safeParse({ id, name, kind, is_on, all_alarms });
        return named.success ? [named.data] : [];
      }),
    });
  }

  /** @throws ApiError for a taken name, one too many, or an invalid time zone, secret or PEM */
  add({ secret, ...fields }: NewDestination): Promise<Changed> {
    const { secrets, made } = secretsFor(fields.config, secret);
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
      await query
        .insertInto('destination')
        .values({
          id,
          revision: 1,
          ...row,
          secrets: JSON.stringify(secrets),
          switched_off_ms: null,
          switched_off_reason: null,
          removed: 0,
        })
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
      const config = configOf(before);
      const { secrets, made } = secretsFor(fields.config, secret, { config, secrets: secretsOf(before) });
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
      const moved = { from: secretPlaceOf(config).text, to: secretPlaceOf(fields.config).text };
      return moved.from === moved.to ? { secret: made } : { secret: made, moved };
    });
  }

  /** @throws ApiError if there is none @returns its name */
  async remove(id: string): Promise<string> {
    const name = await this.#database.change(async (query) => {
      const before = await requireDestination(query, id);
      await endDeliveries(query, id, 'The destination was removed.');
      await query
        .updateTable('destination')
        .set({ removed: 1, is_on: 0, secrets: '[]', config: '{}' })
        .where('id', '=', id)
        .execute();
      await query.deleteFrom('destination_health').where('destination_id', '=', id).execute();
      return before.name;
    });
    this.#changed();
    return name;
  }

  /** Adds a secret; the old ones continue to sign. @throws ApiError if it is no webhook, or has too many */
  makeSecret(id: string): Promise<Changed> {
    const secret = newWebhookSecret();
    return this.#changeSecrets(id, secret, (secrets) => {
      if (secrets.length >= SECRETS_MAX)
        throw new ApiError('not_possible', `It has ${SECRETS_MAX} secrets: drop the old ones first.`);
      return [secret, ...secrets];
    });
  }

  /** Drops all secrets but the newest. @throws ApiError if it is no webhook */
  dropSecrets(id: string): Promise<Changed> {
    return this.#changeSecrets(id, null, (secrets) => secrets.slice(0, 1));
  }

  /** @throws ApiError if it is off, or a heartbeat @returns the id of the delivery, and the name */
  async sendTrial(id: string, operator: Owner): Promise<{ readonly delivery: string; readonly name: string }> {
    const nowMs = Math.floor(epochMs(this.#now()));
    const trial = await this.#database.change(async (query) => {
      const { name, is_on, kind } = await requireDestination(query, id);
      if (!kindRow({ kind }).takesNotices)
        throw new ApiError('not_possible', 'A heartbeat takes no trial: it shows when its last request arrived.');
      if (is_on === 0) throw new ApiError('not_possible', 'It is off: switch it on first.');
      await chargeStored(query, ownerKey(operator), 'trials of destinations', [], nowMs);
      return { delivery: await writeTrial(query, id, nowMs), name };
    });
    this.#changed();
    return trial;
  }

  #changeSecrets(id: string, secret: string | null, next: (secrets: readonly string[]) => readonly string[]) {
    return this.#change(id, async (query) => {
      const before = await requireDestination(query, id);
      if (!kindRow(before).secret?.isMade) throw new ApiError('not_possible', 'Only a webhook signs with secrets.');
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
    const changed = await this.#database.change(async (query) => {
      const done = await run(query);
      const row = await destinationRows(query).where('id', '=', id).executeTakeFirstOrThrow();
      return { ...done, destination: toDestination(row) };
    });
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
  const { takesNotices, part: own } = kindRow(config);
  const failure = failing.find(({ part, of }) =>
    part === 'delivery' ? takesNotices && (of === undefined || of === id) : part === own,
  );
  if (!failure || !is_on) return destination;
  const text = `Lookout cannot send, because ${FAILURE_TEXT[failure.reason]}. Its log says more.`;
  return { ...destination, problem: { since: formatInstant(failure.since), text } };
}

/** @throws ApiError for an unknown time zone */
function columns({
  name,
  is_on,
  config,
  units,
  time_zone,
  announces,
  all_alarms,
  own_receivers,
  group_s,
  notices_an_hour,
}: Omit<NewDestination, 'secret'>) {
  if (!isTimeZone(time_zone))
    throw new ApiError(
      'bad_body',
      `time_zone: “${time_zone}” is not an IANA time zone; write a name such as Europe/Zurich.`,
    );
  return {
    name,
    is_on: is_on ? 1 : 0,
    kind: config.kind,
    config: JSON.stringify(config),
    units,
    time_zone,
    announces: JSON.stringify(announces),
    all_alarms: all_alarms && kindRow(config).takesNotices ? 1 : 0,
    own_receivers: own_receivers && kindRow(config).takesNotices ? 1 : 0,
    group_s,
    notices_an_hour,
  } satisfies Partial<Tables['destination']>;
}

type DestinationRow = Selectable<Tables['destination']>;

/** @throws ApiError for a taken name */
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

/** @throws ApiError if there is none */
async function requireDestination(query: Transaction<Tables>, id: string): Promise<DestinationRow> {
  const row = await query
    .selectFrom('destination')
    .selectAll()
    .where('id', '=', id)
    .where('removed', '=', 0)
    .executeTakeFirst();
  if (!row) throw new ApiError('not_found', 'There is no such destination.');
  return row;
}

/** A trial passes the queue as any notice does, but is tried at once. @returns its id */
export async function writeTrial(query: Transaction<Tables>, destination_id: string, nowMs: number): Promise<string> {
  const id = randomUUID();
  const number = await nextNumbers(query, 1);
  await query
    .insertInto('delivery')
    .values({
      id,
      destination_id,
      number,
      type: 'trial',
      group_key: '',
      state: 'waiting',
      created_ms: nowMs,
      due_ms: nowMs,
      arrived_ms: null,
      tries: 0,
      problem: null,
    })
    .execute();
  await query
    .updateTable('destination_health')
    .set({ next_try_ms: null })
    .where('destination_id', '=', destination_id)
    .execute();
  return id;
}

/** Destinations with their health, and with the numbers of notices that wait or were given up. */
function destinationRows(query: Query) {
  return query
    .selectFrom('destination')
    .leftJoin('destination_health', 'destination_health.destination_id', 'destination.id')
    .where('destination.removed', '=', 0)
    .selectAll('destination')
    .select(['problem_since_ms', 'problem', 'next_try_ms', 'last_arrived_ms'])
    .select((each) =>
      (['waiting', 'given_up'] as const).map((state) =>
        each
          .selectFrom('delivery')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .whereRef('delivery.destination_id', '=', 'destination.id')
          .where('delivery.state', '=', sql.lit(state))
          .as(state),
      ),
    )
    .select((each) =>
      each
        .selectFrom('delivery')
        .select(({ fn }) => fn.min<number>('delivery.due_ms').as('due_ms'))
        .whereRef('delivery.destination_id', '=', 'destination.id')
        .where('delivery.state', '=', sql.lit('waiting'))
        .as('waiting_since_ms'),
    );
}

type ShownRow = Awaited<ReturnType<ReturnType<typeof destinationRows>['execute']>>[number];

function toDestination(row: ShownRow): Destination {
  const { switched_off_ms, problem_since_ms } = row;
  return {
    id: row.id,
    revision: row.revision,
    name: row.name,
    is_on: row.is_on === 1,
    config: configOf(row),
    units: unitsOf(row),
    time_zone: row.time_zone,
    announces: announcesOf(row),
    all_alarms: row.all_alarms === 1,
    own_receivers: row.own_receivers === 1,
    group_s: row.group_s,
    notices_an_hour: row.notices_an_hour,
    secrets: secretsOf(row).length,
    switched_off:
      switched_off_ms === null ? null : { at: isoTime(switched_off_ms), reason: row.switched_off_reason ?? '' },
    problem: problem_since_ms === null ? null : { since: isoTime(problem_since_ms), text: row.problem ?? '' },
    last_arrived_at: isoTimeOrNull(row.last_arrived_ms),
    next_try_at: isoTimeOrNull(row.next_try_ms),
    waiting: Number(row.waiting ?? 0),
    waiting_since: isoTimeOrNull(row.waiting_since_ms),
    given_up: Number(row.given_up ?? 0),
  };
}
