import 'server-only';
import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { ReceiversReport } from '#lib/api/receivers/receivers-answer.ts';
import { Coalesced } from '#lib/async/coalesced.ts';
import { type ReceiverChange, receiverChangeSchema, receiverChanges } from '#lib/outputs/receiver-change.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import { requireLease, type WriterLease } from '../database/writer-lease.ts';
import type { Part } from '../supervision/supervisor.ts';
import type { ReceiversReader } from '../upstream/receivers-reader.ts';
import { nextNumbers } from './fan-out.ts';

const EVERY_MS = MINUTE_MS;
/** A receiver that comes and goes makes so few notices. */
const PAUSE_MS = 15 * MINUTE_MS;
/** More than the receivers and troubles of a Lookout. */
const LATEST = 1000;

interface ReceiverNoticesOptions {
  readonly database: Database;
  readonly lease: WriterLease;
  readonly now: () => UpstreamInstant;
  /** `undefined` without own receivers. */
  readonly receivers: Pick<ReceiversReader, 'read'> | undefined;
  readonly part: Pick<Part, 'run' | 'rest'>;
  /** Called after notices were made. */
  readonly changed: () => void;
}

/**
 * Makes notices of changes of own receivers, for the destinations that receive them. The last notice of each is in the
 * database, so a restart or another writer repeats none. While the service does not answer, nothing is known.
 */
export class ReceiverNotices {
  readonly #options: ReceiverNoticesOptions;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #passes = new Coalesced(() => this.#supervisedPass());

  constructor(options: ReceiverNoticesOptions) {
    this.#options = options;
    // It never rejects: its part reports failures.
    if (options.receivers) this.#timer = setInterval(() => void this.pass(), EVERY_MS).unref();
  }

  /** Call it after destinations changed. */
  async pass(): Promise<void> {
    await this.#passes.join();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#passes.idle();
  }

  async #supervisedPass(): Promise<void> {
    const { part, lease, receivers } = this.#options;
    if (receivers && (await part.run(() => this.#pass())) && lease.fence === undefined) part.rest();
  }

  async #pass(): Promise<void> {
    const { database, lease, now, receivers, changed } = this.#options;
    const { fence } = lease;
    if (fence === undefined || !receivers) return;
    const { status, failure } = await receivers.read();
    if (!status || failure) return;
    const made = await database.change(async (query) => {
      await requireLease(query, database.dialect, fence);
      return makeNotices(query, status, Math.floor(epochMs(now())));
    });
    if (made > 0) changed();
  }
}

/** @returns how many notices were made */
async function makeNotices(query: Transaction<Tables>, report: ReceiversReport, nowMs: number): Promise<number> {
  const destinations = await query
    .selectFrom('destination')
    .select('id')
    .where('is_on', '=', 1)
    .where('removed', '=', 0)
    .where('own_receivers', '=', 1)
    .execute();
  let made = 0;
  for (const { id } of destinations) {
    const latest = await latestChanges(query, id);
    const changes = receiverChanges(report, (receiver, trouble) => latest.get(`${trouble} ${receiver}`)).filter(
      ({ receiver, trouble }) => (latest.get(`${trouble} ${receiver}`)?.madeMs ?? 0) <= nowMs - PAUSE_MS,
    );
    await writeNotices(query, id, changes, nowMs);
    made += changes.length;
  }
  return made;
}

async function latestChanges(query: Transaction<Tables>, destinationId: string) {
  const rows = await query
    .selectFrom('delivery')
    .select(['about', 'created_ms'])
    .where('destination_id', '=', destinationId)
    .where('type', '=', 'receiver')
    .orderBy('number', 'desc')
    .limit(LATEST)
    .execute();
  const oldestFirst = rows.toReversed().map(({ about, created_ms }) => {
    const change = receiverChangeSchema.parse(JSON.parse(about ?? ''));
    return [`${change.trouble} ${change.receiver}`, { ...change, madeMs: created_ms }] as const;
  });
  return new Map(oldestFirst);
}

async function writeNotices(
  query: Transaction<Tables>,
  destination_id: string,
  changes: readonly ReceiverChange[],
  nowMs: number,
): Promise<void> {
  if (changes.length === 0) return;
  const first = await nextNumbers(query, changes.length);
  const rows = changes.map((change, index) => ({
    id: randomUUID(),
    destination_id,
    number: first + index,
    type: 'receiver',
    group_key: '',
    state: 'waiting',
    created_ms: nowMs,
    due_ms: nowMs,
    arrived_ms: null,
    tries: 0,
    problem: null,
    about: JSON.stringify(change),
  }));
  await query.insertInto('delivery').values(rows).execute();
}
