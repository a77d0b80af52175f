// Operators with an account here: their rows, and all of them in memory, since every request checks its operator. A change
// by any server or command takes effect within a second.
import 'server-only';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { ROLES } from '#lib/api/people/permission.ts';
import { NAME_MAX_LENGTH } from '#lib/api/people/session-messages.ts';
import { Coalesced } from '#lib/async/coalesced.ts';
import { formatLocalInstant, localInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../database/database.ts';
import type { Query, Tables } from '../database/tables.ts';
import type { Part } from '../supervision/supervisor.ts';
import { phcPattern } from './passwords.ts';

/** The form of names that are safe on a screen and in a log. */
export const operatorNamePattern = new RegExp(`^[\\p{L}\\p{N}][\\p{L}\\p{N} ._@-]{0,${NAME_MAX_LENGTH - 1}}$`, 'u');

const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/, { error: 'must be base64url' });

const passkeySchema = z.strictObject({
  id: base64url.max(2048),
  /** The public key in the form of COSE. */
  public_key: base64url.max(8192),
  name: z.string().min(1).max(NAME_MAX_LENGTH),
  transports: z.array(z.string().max(32)).max(16),
  added_at: z.iso.datetime(),
});

const operatorSchema = z.strictObject({
  name: z.string().regex(operatorNamePattern),
  role: z.enum(ROLES),
  /** Without a password, the operator signs in by passkey alone. */
  password: z.string().regex(phcPattern, { error: 'must be an argon2id hash' }).optional(),
  /** Until then, a password by an admin has to be changed. */
  initial_until: z.iso.datetime().optional(),
  passkeys: z.array(passkeySchema).max(20),
});
export type OperatorEntry = z.infer<typeof operatorSchema>;

const OPERATOR_TOPIC = 'operator';
const RETRY_AFTER_MS = SECOND_MS;

/** The change runs again after a conflict. */
export type ChangeOfOperators = (operators: readonly OperatorEntry[]) => OperatorEntry[];

/** In SQLite, changes by commands are in memory after `caughtUp`. */
export class Operators {
  readonly #database: Database;
  readonly #part: Part;
  readonly #endListening: () => void;
  readonly #loads = new Coalesced(() => this.#load());
  #byName: ReadonlyMap<string, OperatorEntry> = new Map();
  #isClosed = false;
  #retry: NodeJS.Timeout | undefined;

  private constructor(database: Database, part: Part) {
    this.#database = database;
    this.#part = part;
    // It never rejects: the supervised part logs a failure, and another attempt follows.
    this.#endListening = database.listen(OPERATOR_TOPIC, () => void this.#follow());
  }

  /** Rejects with a `DatabaseFailure`. */
  static async open(database: Database, part: Part): Promise<Operators> {
    const operators = new Operators(database, part);
    await operators.#loads.run();
    return operators;
  }

  /** Resolves when all known changes are in memory. The last state remains while the database fails. */
  async caughtUp(): Promise<void> {
    if (this.#database.isCurrent) await this.#loads.idle();
  }

  find(name: string): OperatorEntry | undefined {
    return this.#byName.get(name);
  }

  all(): readonly OperatorEntry[] {
    return [...this.#byName.values()];
  }

  /** Rejects with a `DatabaseFailure`, or with what `change` throws, and then changes nothing. */
  async change(change: ChangeOfOperators): Promise<void> {
    await changeOperators(this.#database, change);
    await this.#follow();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endListening();
    clearTimeout(this.#retry);
    await this.#loads.idle();
  }

  /** Retries until it succeeds: a removed operator must not stay. */
  async #follow(): Promise<void> {
    if ((await this.#part.run(() => this.#loads.run())) || this.#isClosed) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#follow(), RETRY_AFTER_MS).unref();
  }

  async #load(): Promise<void> {
    const entries = await readOperators(this.#database.query);
    this.#byName = new Map(entries.map((entry) => [entry.name, entry]));
  }
}

/** Rejects with a `DatabaseFailure`, or with what `change` throws, and then changes nothing. */
export function changeOperators(database: Database, change: ChangeOfOperators): Promise<void> {
  return database.change(async (query) => {
    const before = await readOperators(query);
    const after = change(before).map((entry) => operatorSchema.parse(entry));
    const known = new Map(before.map((entry) => [entry.name, JSON.stringify(entry)]));
    const changed = after.filter((entry) => known.get(entry.name) !== JSON.stringify(entry));
    const kept = new Set(after.map(({ name }) => name));
    const replaced = [...before.filter(({ name }) => !kept.has(name)), ...changed].map(({ name }) => name);
    if (replaced.length === 0) return;
    // Deletes first, since a passkey may move to another operator.
    await query.deleteFrom('operator').where('name', 'in', replaced).execute();
    for (const entry of changed) await write(query, entry);
    await database.notify(query, OPERATOR_TOPIC);
  });
}

export async function readOperators(query: Query): Promise<OperatorEntry[]> {
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

const transportsSchema = z.array(z.string());

function passkeyOf({ id, public_key, name, transports, added_ms }: Selectable<Tables['passkey']>) {
  return {
    id,
    public_key,
    name,
    transports: transportsSchema.parse(JSON.parse(transports)),
    added_at: formatLocalInstant(localInstant(added_ms)),
  };
}
