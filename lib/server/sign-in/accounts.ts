import 'server-only';
import { randomBytes } from 'node:crypto';
import { ApiError } from '#lib/api/error-code.ts';
import type {
  AccountAnswer,
  AccountNeed,
  InitialPassword,
  People,
  Person,
  SessionRow,
} from '#lib/api/people/account.ts';
import type { Role } from '#lib/api/people/permission.ts';
import { addMs, formatLocalInstant, type LocalInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import type { Spent } from '../allowance/spent-today.ts';
import { type ChangeOfOperators, type OperatorEntry, type Operators, operatorNamePattern } from './operators.ts';
import { hashPassword, passwordProblem } from './passwords.ts';
import type { Session, SessionOperator } from './session.ts';
import type { Sessions } from './sessions.ts';
import type { SignIn } from './sign-in.ts';

const INITIAL_BYTES = 15;
const INITIAL_MS = 3 * DAY_MS;

export interface SignedIn {
  readonly operator: SessionOperator;
  readonly session: Pick<Session, 'key' | 'source'>;
  readonly needs?: AccountNeed | undefined;
}

export interface AccountsOptions {
  readonly operators: Operators;
  readonly registry: Sessions;
  readonly signIn: SignIn;
  readonly requiresPasskeys: boolean;
  /** @throws DatabaseFailure */
  readonly spent: () => Promise<(operatorId: string) => Spent>;
  readonly now: () => LocalInstant;
}

export interface PasswordReset {
  readonly initial: InitialPassword;
  /** Names of the passkeys that were removed. */
  readonly removed: readonly string[];
  readonly ended: readonly Session[];
}

/** @throws ApiError for the admin's own account */
export function requireOther({ operator }: SignedIn, person: string): void {
  if (person === operator.id) throw new ApiError('not_possible', 'Your own passkeys are removed on your account page.');
}

/** Throws `ApiError` for what cannot be done, and `DatabaseFailure`. */
export class Accounts {
  readonly #operators: Operators;
  readonly #registry: Sessions;
  readonly #signIn: SignIn;
  readonly #requiresPasskeys: boolean;
  readonly #spent: AccountsOptions['spent'];
  readonly #now: () => LocalInstant;

  constructor({ operators, registry, signIn, requiresPasskeys, spent, now }: AccountsOptions) {
    this.#operators = operators;
    this.#registry = registry;
    this.#signIn = signIn;
    this.#requiresPasskeys = requiresPasskeys;
    this.#spent = spent;
    this.#now = now;
  }

  async account({ operator, session, needs }: SignedIn): Promise<Omit<AccountAnswer, 'passkeys' | 'push'>> {
    return {
      operator: operator.name,
      role: operator.role,
      password: this.#operators.find(operator.id)?.password !== undefined,
      needs: needs ?? null,
      sessions: sessionRows(await this.#registry.list(operator.id), session.key),
    };
  }

  /** @returns the ended sessions */
  async changeOwnPassword(
    { operator, session }: SignedIn,
    { present, next }: { readonly present: string; readonly next: string },
    address: string,
  ): Promise<readonly Session[]> {
    const { id } = operator;
    if (this.#operators.find(id)?.password === undefined)
      throw new ApiError('not_possible', 'There is no password of yours here: you sign in by other means.');
    const checked = await this.#signIn.check(id, present, address, session.key);
    if (checked.kind === 'wait')
      throw new ApiError('too_many_attempts', `Too many attempts; try again in ${checked.seconds} s.`, checked.seconds);
    if (checked.kind === 'refused') throw new ApiError('sign_in_refused', 'The present password is wrong.');
    if (present === next) throw new ApiError('weak_password', 'The new password is the present one: choose another.');
    const problem = await passwordProblem(next, operator.name);
    if (problem) throw new ApiError('weak_password', problem);
    const password = await hashPassword(next);
    await this.change(id, ({ initial_until: _, ...entry }) => ({ ...entry, password }));
    // The session gets its new credential before another request finds its password gone.
    if (session.source === 'password') await this.#registry.rebind(session.key, password);
    return this.endOthers({ operator, session });
  }

  async endOwn({ operator }: SignedIn, key: string): Promise<Session> {
    return this.#end(await this.#registry.list(operator.id), key);
  }

  async endOthers({ operator, session }: Pick<SignedIn, 'operator' | 'session'>): Promise<readonly Session[]> {
    const others = (await this.#registry.list(operator.id)).filter(({ key }) => key !== session.key);
    await this.#registry.end({ operatorId: operator.id, except: session.key });
    return others;
  }

  /** @param browsers that receive alarms by push */
  async people(
    { session }: SignedIn,
    browsers: readonly { readonly owner: string; readonly browser: string }[] = [],
  ): Promise<Omit<People, 'has_allowance'>> {
    const spent = await this.#spent();
    const sessions = Map.groupBy(await this.#registry.list(), ({ operatorId }) => operatorId);
    const toPerson = (known: Omit<Person, 'spent_today' | 'push' | 'sessions'>): Person => ({
      ...known,
      spent_today: spentToday(spent(known.id)),
      push: browsers.flatMap(({ owner, browser }) => (owner === known.id ? browser : [])),
      sessions: sessionRows(sessions.get(known.id) ?? [], session.key),
    });
    const inFile = this.#operators.all().map((entry) => {
      const { name, role, passkeys } = entry;
      const password = this.#passwordOf(entry);
      return toPerson({ id: name, name, role, in_file: true, password, passkeys: passkeys.length });
    });
    const elsewhere = [...sessions].flatMap(([id, [own]]) => {
      if (!own?.person) return [];
      const { name, role } = own.person;
      return [toPerson({ id, name, role, in_file: false, password: 'none', passkeys: 0 })];
    });
    const byName = (one: Person, other: Person) => one.name.localeCompare(other.name, 'en');
    const people = [...inFile.sort(byName), ...elsewhere.sort(byName)];
    return { people, passkeys_required: this.#requiresPasskeys };
  }

  async add(name: string, role: Role): Promise<InitialPassword> {
    if (!operatorNamePattern.test(name))
      throw new ApiError(
        'bad_body',
        'A name has letters, digits, spaces and . _ @ -, and starts with a letter or digit.',
      );
    const { entry, initial } = await this.#initialPassword();
    await this.#write((operators) => {
      if (operators.some((operator) => operator.name === name))
        throw new ApiError('name_taken', `There is an operator named ${name} already.`);
      return [...operators, { name, role, passkeys: [], ...entry }];
    });
    return initial;
  }

  setRole(id: string, role: Role): Promise<void> {
    return this.change(id, (entry) => ({ ...entry, role }));
  }

  /** @returns the ended sessions */
  async remove(id: string): Promise<readonly Session[]> {
    await this.change(id, () => undefined);
    return this.endAll(id);
  }

  /**
   * Makes a password, and ends all of the operator's sessions.
   * @param removesPasskeys in the same change, since a password is useless to an operator who has a required passkey
   */
  async resetPassword(admin: SignedIn, id: string, removesPasskeys: boolean): Promise<PasswordReset> {
    if (removesPasskeys) requireOther(admin, id);
    const { entry, initial } = await this.#initialPassword();
    let removed: readonly string[] = [];
    await this.change(id, (before) => {
      removed = removesPasskeys ? before.passkeys.map(({ name }) => name) : [];
      if (removesPasskeys) return { ...before, ...entry, passkeys: [] };
      if (this.#requiresPasskeys && before.passkeys.length > 0)
        throw new ApiError(
          'not_possible',
          `Passkeys are required here, and ${id} has one: a password would be useless. Remove the passkeys first.`,
        );
      return { ...before, ...entry };
    });
    return { initial, removed, ended: await this.endAll(id) };
  }

  async endAll(operatorId: string): Promise<readonly Session[]> {
    const sessions = await this.#registry.list(operatorId);
    await this.#registry.end({ operatorId });
    return sessions;
  }

  async endAny(key: string): Promise<Session> {
    return this.#end(await this.#registry.list(), key);
  }

  async #end(among: readonly Session[], key: string): Promise<Session> {
    const session = among.find((open) => open.key === key);
    if (!session) throw new ApiError('not_found', 'There is no such session; it may have ended already.');
    await this.#registry.end({ key });
    return session;
  }

  #passwordOf({ password, initial_until }: OperatorEntry): Person['password'] {
    if (password === undefined) return 'none';
    if (initial_until === undefined) return 'own';
    return initial_until > formatLocalInstant(this.#now()) ? 'initial' : 'expired';
  }

  async #initialPassword() {
    const password = randomBytes(INITIAL_BYTES).toString('base64url');
    const until = formatLocalInstant(addMs(this.#now(), INITIAL_MS));
    return { entry: { password: await hashPassword(password), initial_until: until }, initial: { password, until } };
  }

  /** @param change may run several times; `undefined` removes the operator */
  change(id: string, change: (entry: OperatorEntry) => OperatorEntry | undefined): Promise<void> {
    return this.#write((operators) => {
      if (!operators.some(({ name }) => name === id)) throw new ApiError('not_found', 'There is no such operator.');
      return operators.flatMap((entry) => (entry.name === id ? (change(entry) ?? []) : entry));
    });
  }

  #write(change: ChangeOfOperators): Promise<void> {
    return this.#operators.change((before) => {
      const after = change(before);
      if (before.some(isAdmin) && !after.some(isAdmin))
        throw new ApiError('not_possible', 'This is the last admin: make another operator an admin first.');
      return after;
    });
  }
}

function spentToday({ past, firstViews }: Spent): Person['spent_today'] {
  return { past, first_views: firstViews };
}

function isAdmin({ role, password, passkeys }: OperatorEntry): boolean {
  return role === 'admin' && (password !== undefined || passkeys.length > 0);
}

function sessionRows(sessions: readonly Session[], current: string | undefined): SessionRow[] {
  return sessions.map(({ key, source, origin, signedInAt, seenAt }) => ({
    id: key,
    by: source,
    browser: origin.browser,
    address: origin.address,
    signed_in_at: formatLocalInstant(signedInAt),
    seen_at: formatLocalInstant(seenAt),
    kept: origin.isKept,
    current: key === current,
  }));
}
