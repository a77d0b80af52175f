import 'server-only';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { formatLocalInstant, localInstant } from '#lib/time/instant.ts';
import type { Database } from '../database/database.ts';
import type { Query, Tables } from '../database/tables/tables.ts';
import { type OperatorEntry, operatorSchema } from './operator-entry.ts';

export const OPERATOR_TOPIC = 'operator';

const transportsSchema = z.array(z.string());

/** May be called several times. */
export type ChangesOperators = (operators: readonly OperatorEntry[]) => OperatorEntry[];

/** Every method rejects with a `DatabaseFailure` where the database is at fault. */
export class OperatorStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  read(): Promise<OperatorEntry[]> {
    return read(this.#database.query);
  }

  /** Rejects with what `change` throws, and then changes nothing. */
  async change(change: ChangesOperators): Promise<void> {
    await this.#database.change(async (query) => {
      const before = await read(query);
      const after = change(before).map((entry) => operatorSchema.parse(entry));
      const known = new Map(before.map((entry) => [entry.name, JSON.stringify(entry)]));
      const changed = after.filter((entry) => known.get(entry.name) !== JSON.stringify(entry));
      const kept = new Set(after.map(({ name }) => name));
      const replaced = [...before.filter(({ name }) => !kept.has(name)), ...changed].map(({ name }) => name);
      if (replaced.length === 0) return;
      // Deletes first, since a passkey may move to another operator.
      await query.deleteFrom('operator').where('name', 'in', replaced).execute();
      for (const entry of changed) await write(query, entry);
      await this.#database.tell(query, OPERATOR_TOPIC);
    });
  }
}

async function read(query: Query): Promise<OperatorEntry[]> {
  const operators = await query.selectFrom('operator').selectAll().orderBy('name').execute();
  const passkeys = await query.selectFrom('passkey').selectAll().orderBy('added_ms').orderBy('id').execute();
  const ofOperator = Map.groupBy(passkeys, ({ operator }) => operator);
  return operators.map(({ name, role, password, initial_until_ms }) => ({
    name,
    role,
    ...(password !== null && { password }),
    ...(initial_until_ms !== null && { initial_until: formatLocalInstant(localInstant(initial_until_ms)) }),
    passkeys: (ofOperator.get(name) ?? []).map(passkeyOf),
  }));
}

async function write(query: Query, { name, role, password, initial_until, passkeys }: OperatorEntry): Promise<void> {
  const initial_until_ms = initial_until === undefined ? null : Date.parse(initial_until);
  await query
    .insertInto('operator')
    .values({ name, role, password: password ?? null, initial_until_ms })
    .execute();
  if (passkeys.length === 0) return;
  await query
    .insertInto('passkey')
    .values(
      passkeys.map(({ transports, added_at, ...passkey }) => ({
        ...passkey,
        operator: name,
        transports: JSON.stringify(transports),
        added_ms: Date.parse(added_at),
      })),
    )
    .execute();
}

function passkeyOf({ id, public_key, name, transports, added_ms }: Selectable<Tables['passkey']>) {
  return {
    id,
    public_key,
    name,
    transports: transportsSchema.parse(JSON.parse(transports)),
    added_at: formatLocalInstant(localInstant(added_ms)),
  };
}
