import 'server-only';
import { ECDH, randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import { ApiError } from '#lib/api/error-code.ts';
import {
  type BrowserSubscription,
  type NewPush,
  PUSH_MAX,
  type PushAffairs,
  type PushChoices,
  type PushHere,
} from '#lib/api/people/push.ts';
import { connectionClause } from '#lib/text/connection-clause.ts';
import { epochMs, isoTime, isoTimeOrNull, type UpstreamInstant } from '#lib/time/instant.ts';
import { isTimeZone } from '#lib/time/time-zone.ts';
import type { Database } from '../database/database.ts';
import { chargeStored } from '../database/stored-bytes.ts';
import type { Query, Tables } from '../database/tables.ts';
import { bindSubscriptions, pushBearer } from '../sign-in/sessions.ts';
import { writeTrial } from './destinations.ts';
import { AddressRefused, allowedAddresses } from './guard.ts';
import { endDeliveries } from './queue.ts';
import { vapidKeys } from './senders/push.ts';
import { pushChoicesOf } from './targets.ts';

/** Each is a target of every change of an alarm. */
const ALL_MAX = 200;

export interface PushOptions {
  readonly database: Database;
  /** The upstream's clock. */
  readonly now: () => UpstreamInstant;
  /** Called after notices were made or choices changed. */
  readonly changed: () => void;
  /** `OUTPUT_PRIVATE_ADDRESSES` */
  readonly listed: readonly string[];
}

/**
 * The browsers of people that receive alarms by Web Push: list, add, change, remove, try. Answers contain no endpoint and
 * no key of a browser. Methods reject with `ApiError`, and with a `DatabaseFailure` where the database fails.
 */
export class PushSubscriptions {
  readonly #options: PushOptions;

  constructor(options: PushOptions) {
    this.#options = options;
  }

  async of(owner: string): Promise<PushAffairs> {
    const { query } = this.#options.database;
    const rows = await query
      .selectFrom('push_subscription')
      .leftJoin('destination_health', 'destination_health.destination_id', 'push_subscription.id')
      .selectAll('push_subscription')
      .select(['problem', 'last_arrived_ms'])
      .where('owner', '=', owner)
      .where('credential_digest', '<>', '')
      .orderBy('made_ms')
      .orderBy('id')
      .execute();
    return {
      key: (await vapidKeys(this.#options.database)).publicKey,
      list: rows.map((row) => ({
        id: row.id,
        browser: row.browser,
        made_at: isoTime(row.made_ms),
        is_on: row.auth !== '',
        choices: pushChoicesOf(row),
        last_arrived_at: isoTimeOrNull(row.last_arrived_ms),
        problem: row.problem,
      })),
    };
  }

  /** The browsers of every person that receive alarms. */
  browsers(): Promise<readonly { readonly owner: string; readonly browser: string }[]> {
    return this.#options.database.query
      .selectFrom('push_subscription')
      .select(['owner', 'browser'])
      .where('credential_digest', '<>', '')
      .where('auth', '<>', '')
      .orderBy('made_ms')
      .execute();
  }

  /** The same browser is added once: its endpoint becomes that of its latest person. @returns its id */
  async add(sessionKey: string, { endpoint, keys, choices }: NewPush, browser: string): Promise<string> {
    requireChoices(choices);
    await this.#requireUsable({ endpoint, keys });
    const id = randomUUID();
    await this.#options.database.change(async (query) => {
      const session = await query.selectFrom('session').selectAll().where('key', '=', sessionKey).executeTakeFirst();
      if (!session) throw new ApiError('not_signed_in', 'Your session has ended: sign in again.');
      await makeRoom(query, endpoint, id);
      const present = await query.selectFrom('push_subscription').select(['owner', 'auth']).execute();
      if (present.filter(({ owner }) => owner === session.operator).length >= PUSH_MAX)
        throw new ApiError('not_possible', `You have push in ${PUSH_MAX} browsers: remove one first.`);
      if (present.filter(({ auth }) => auth !== '').length >= ALL_MAX)
        throw new ApiError('not_possible', `This Lookout has push in ${ALL_MAX} browsers, and takes no more.`);
      const row = { id, revision: 1, owner: session.operator, browser, endpoint, ...keys, ...pushBearer(session) };
      await query
        .insertInto('push_subscription')
        .values({ ...row, choices: JSON.stringify(choices), made_ms: this.#nowMs })
        .execute();
    });
    return id;
  }

  /** Binds the own subscription with this endpoint to the session, and renews it. @returns its id; null: there is none */
  async bind(sessionKey: string, { endpoint, renewed }: PushHere): Promise<string | null> {
    if (renewed) await this.#requireUsable(renewed);
    const bound = await this.#options.database.change(async (query) => {
      const [id = null] = await bindSubscriptions(query, sessionKey, ['endpoint', endpoint]);
      if (id === null || !renewed) return id;
      await makeRoom(query, renewed.endpoint, id);
      await query
        .updateTable('push_subscription')
        .set((each) => ({ endpoint: renewed.endpoint, ...renewed.keys, revision: each('revision', '+', 1) }))
        .where('id', '=', id)
        .execute();
      await query.deleteFrom('destination_health').where('destination_id', '=', id).execute();
      return id;
    });
    if (renewed) this.#options.changed();
    return bound;
  }

  async change(owner: string, id: string, choices: PushChoices): Promise<void> {
    requireChoices(choices);
    const changed = await this.#options.database.query
      .updateTable('push_subscription')
      .set((each) => ({ choices: JSON.stringify(choices), revision: each('revision', '+', 1) }))
      .where('id', '=', id)
      .where('owner', '=', owner)
      .where('credential_digest', '<>', '')
      .returning('id')
      .execute();
    if (changed.length === 0) throw new ApiError('not_found', 'There is no such subscription.');
    this.#options.changed();
  }

  /** @returns the name of its browser */
  remove(owner: string, id: string): Promise<string> {
    return this.#options.database.change(async (query) => {
      const { browser } = await requireOwn(query, owner, id);
      await removeSubscription(query, id, 'The browser was switched off.');
      return browser;
    });
  }

  /** @returns the id of the delivery */
  async sendTrial(owner: string, id: string): Promise<string> {
    const delivery = await this.#options.database.change(async (query) => {
      const { auth } = await requireOwn(query, owner, id);
      if (auth === '') throw new ApiError('not_possible', 'Its push service has ended it: turn push on again there.');
      await chargeStored(query, owner, 'trials of destinations', [], this.#nowMs);
      return writeTrial(query, id, this.#nowMs);
    });
    this.#options.changed();
    return delivery;
  }

  get #nowMs(): number {
    return Math.floor(epochMs(this.#options.now()));
  }

  /** Encryption fails with another kind of key. The guard decides again at every connection. */
  async #requireUsable({ endpoint, keys }: BrowserSubscription): Promise<void> {
    try {
      ECDH.convertKey(keys.p256dh, 'prime256v1', 'base64url', undefined, 'compressed');
    } catch {
      throw new ApiError('bad_body', 'keys.p256dh: must be a key of a subscription.');
    }
    try {
      await allowedAddresses(new URL(endpoint).hostname, this.#options.listed);
    } catch (error) {
      const text = error instanceof AddressRefused ? error.message : `${connectionClause(error, 'it was not found')}.`;
      throw new ApiError('bad_body', `endpoint: ${text}`);
    }
  }
}

function requireChoices({ time_zone, quiet }: PushChoices): void {
  if (!isTimeZone(time_zone)) throw new ApiError('bad_body', 'choices.time_zone: write a name such as Europe/Zurich.');
  if (quiet && quiet.from === quiet.to)
    throw new ApiError('bad_body', 'choices.quiet: must begin and end at different times.');
}

/** Removes the subscription with this endpoint, of whichever person, unless it is `id`, which takes the endpoint. */
async function makeRoom(query: Transaction<Tables>, endpoint: string, id: string): Promise<void> {
  const found = query.selectFrom('push_subscription').select('id').where('endpoint', '=', endpoint);
  const other = await found.where('id', '<>', id).executeTakeFirst();
  if (other) await removeSubscription(query, other.id, 'The browser was switched on again.');
}

async function requireOwn(query: Query, owner: string, id: string) {
  const own = await query
    .selectFrom('push_subscription')
    .select(['browser', 'auth'])
    .where('id', '=', id)
    .where('owner', '=', owner)
    .where('credential_digest', '<>', '')
    .executeTakeFirst();
  if (!own) throw new ApiError('not_found', 'There is no such subscription.');
  return own;
}

export async function removeSubscription(query: Transaction<Tables>, id: string, why: string): Promise<void> {
  await endDeliveries(query, id, why);
  await query.deleteFrom('destination_health').where('destination_id', '=', id).execute();
  await query.deleteFrom('push_subscription').where('id', '=', id).execute();
}
