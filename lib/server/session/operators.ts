import 'server-only';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { formatLocalInstant, localInstant } from '#lib/time/instant.ts';
import type { Database } from '../database/database.ts';
import { DatabaseFailure } from '../database/database-failure.ts';
import type { Query, Tables } from '../database/tables.ts';
import { type OperatorEntry, operatorSchema } from './operator-entry.ts';

const TOPIC = 'operator';

const transportsSchema = z.array(z.string());

/** Makes of all operators what they are to be; may be called several times. */
export type ChangesOperators = (operators: readonly OperatorEntry[]) => OperatorEntry[];

/** The operators, in memory. A change by any server or command is known at all servers within a second. */
export class Operators {
  readonly #database: Database;
  readonly #endListening: () => void;
  #byName: ReadonlyMap<string, OperatorEntry> = new Map();
  #loading: Promise<void> | undefined;
  #isStale = false;

  private constructor(database: Database) {
    this.#database = database;
    this.#endListening = database.listen(TOPIC, () => {
      // While the database is lost the last known operators stay; listeners hear again when it is back.
      this.#load().catch((error: unknown) => {
        if (!(error instanceof DatabaseFailure)) throw error;
      });
    });
  }

  /** Rejects with a `DatabaseFailure`. */
  static async open(database: Database): Promise<Operators> {
    const operators = new Operators(database);
    await operators.#load();
    return operators;
  }

  find(name: string): OperatorEntry | undefined {
    return this.#byName.get(name);
  }

  all(): readonly OperatorEntry[] {
    return [...this.#byName.values()];
  }

  /** Takes effect at once. Rejects with a `DatabaseFailure`, or with what `change` throws; nothing is changed then. */
  async change(change: ChangesOperators): Promise<void> {
    await this.#database.change(async (query) => {
      const before = await read(query);
      const after = change(before).map((entry) => operatorSchema.parse(entry));
      const known = new Map(before.map((entry) => [entry.name, JSON.stringify(entry)]));
      const changed = after.filter((entry) => known.get(entry.name) !== JSON.stringify(entry));
      const kept = new Set(after.map(({ name }) => name));
      const replaced = [...before.filter(({ name }) => !kept.has(name)), ...changed].map(({ name }) => name);
      if (replaced.length === 0) return;
      // Passkeys are deleted with their operator. All go before any is written, as a passkey may change its operator.
      await query.deleteFrom('operator').where('name', 'in', replaced).execute();
      for (const entry of changed) await write(query, entry);
      await this.#database.tell(query, TOPIC);
    });
    await this.#load();
  }

  close(): void {
    this.#endListening();
  }

  /** One at a time; what changes during a load is loaded after it. */
  #load(): Promise<void> {
    this.#isStale = true;
    this.#loading ??= this.#loadAll().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #loadAll(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      const entries = await read(this.#database.query);
      this.#byName = new Map(entries.map((entry) => [entry.name, entry]));
    }
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
    passkeys: (ofOperator.get(name) ?? []).map(toPasskey),
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

function toPasskey({ id, public_key, name, transports, added_ms }: Selectable<Tables['passkey']>) {
  return {
    ...{ id, public_key, name, transports: transportsSchema.parse(JSON.parse(transports)) },
    added_at: formatLocalInstant(localInstant(added_ms)),
  };
}
