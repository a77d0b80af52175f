import 'server-only';
import { ApiError } from '#lib/api/error-code.ts';
import type { PasskeyAffairs } from '#lib/api/people/account.ts';
import type { Attestation, Confirmation } from '#lib/api/people/passkey.ts';
import { formatLocalInstant, type LocalInstant } from '#lib/time/instant.ts';
import { type Accounts, requireOther, type SignedIn } from './accounts.ts';
import { digest } from './digest.ts';
import type { OperatorEntry, Operators } from './operators.ts';
import type { PasskeyChecks } from './passkey-checks.ts';
import type { RelyingPartyResult } from './relying-party.ts';
import type { Session, SessionOrigin } from './session.ts';
import type { Sessions } from './sessions.ts';
import type { ShortLived, ShortLivedName } from './short-lived.ts';
import type { SignIn } from './sign-in.ts';

const PASSKEYS_MAX = 20;

export interface PasskeysOptions {
  readonly accounts: Accounts;
  readonly operators: Operators;
  readonly registry: Sessions;
  readonly signIn: SignIn;
  readonly checks: PasskeyChecks;
  readonly shortLived: ShortLived;
  readonly relyingParty: RelyingPartyResult;
  /** A password opens only the page where a passkey is added. */
  readonly isRequired: boolean;
  readonly now: () => LocalInstant;
}

/** Throws `ApiError` for what cannot be done, and `DatabaseFailure`. */
export class Passkeys {
  readonly #options: PasskeysOptions;

  constructor(options: PasskeysOptions) {
    this.#options = options;
  }

  /** `null` for an operator of a provider. */
  async of({ operator, session }: SignedIn): Promise<PasskeyAffairs | null> {
    const { operators, relyingParty, isRequired } = this.#options;
    const entry = operators.find(operator.id);
    if (!entry) return null;
    return {
      list: entry.passkeys.map(({ id, name, added_at }) => ({ id, name, added_at })),
      ...('problem' in relyingParty
        ? { origin: null, problem: relyingParty.problem }
        : { origin: relyingParty.origin, problem: null }),
      required: isRequired,
      confirmed: await this.#isConfirmed(session),
    };
  }

  async confirmationOptions({ operator, session }: SignedIn, address: string) {
    const { passkeys } = this.#entry(operator.id);
    if (passkeys.length === 0)
      throw new ApiError('not_possible', 'There is no passkey of yours here yet: confirm with your password.');
    return this.#options.checks.assertionOptions({ purpose: 'confirm', owner: ownerOf(session) }, address, passkeys);
  }

  async confirm({ operator, session }: SignedIn, confirmation: Confirmation, address: string): Promise<void> {
    const { signIn, checks, shortLived, isRequired } = this.#options;
    const entry = this.#entry(operator.id);
    if ('passkey' in confirmation) {
      const what = { purpose: 'confirm', owner: ownerOf(session) } as const;
      if (!(await checks.verified(what, confirmation.passkey, entry)))
        throw new ApiError('sign_in_refused', 'This passkey is not accepted. Try again.');
    } else {
      // Otherwise a password would suffice, by adding a passkey with it.
      if (isRequired && entry.passkeys.length > 0)
        throw new ApiError('not_possible', 'Passkeys are required here: confirm with one of yours.');
      const checked = await signIn.check(operator.id, confirmation.password, address, session.key);
      if (checked.kind === 'wait')
        throw new ApiError(
          'too_many_attempts',
          `Too many attempts; try again in ${checked.seconds} s.`,
          checked.seconds,
        );
      if (checked.kind === 'refused') throw new ApiError('sign_in_refused', 'The password is wrong.');
    }
    await shortLived.keep(confirmationOf(session), '');
  }

  async attestationOptions({ operator, session }: SignedIn, address: string) {
    await this.#requireConfirmed(session);
    const entry = this.#entry(operator.id);
    requireFreeSlot(entry);
    return this.#options.checks.attestationOptions(ownerOf(session), address, entry);
  }

  /** @returns the replacing session, if only passkeys open everything */
  async add(
    { operator, session }: SignedIn,
    { name, passkey }: { readonly name: string; readonly passkey: Attestation },
  ): Promise<{ readonly id: string; readonly origin: SessionOrigin } | undefined> {
    const { accounts, registry, checks, isRequired, now } = this.#options;
    await this.#requireConfirmed(session);
    const made = await checks.registered(ownerOf(session), passkey);
    const added_at = formatLocalInstant(now());
    await accounts.change(operator.id, (entry) => {
      requireFreeSlot(entry);
      return { ...entry, passkeys: [...entry.passkeys, { ...made, name, added_at }] };
    });
    const origin = (await registry.list(operator.id)).find(({ key }) => key === session.key)?.origin;
    if (!isRequired || session.source !== 'password' || !origin) return undefined;
    const by = { source: 'passkey', operatorId: operator.id, credential: made.id } as const;
    return { id: await registry.open(by, origin), origin };
  }

  /** @returns its name, and the ended sessions */
  async remove({ operator, session }: SignedIn, id: string) {
    const { accounts, registry, isRequired } = this.#options;
    await this.#requireConfirmed(session);
    let name = '';
    await accounts.change(operator.id, (entry) => {
      const passkeys = entry.passkeys.filter((passkey) => passkey.id !== id);
      name = entry.passkeys.find((passkey) => passkey.id === id)?.name ?? '';
      if (passkeys.length === entry.passkeys.length)
        throw new ApiError('not_found', 'There is no such passkey of yours.');
      if (passkeys.length === 0 && (isRequired || entry.password === undefined))
        throw new ApiError(
          'not_possible',
          isRequired
            ? 'Passkeys are required here, and this is your last: add another one first.'
            : 'This is your only way in: add another passkey first.',
        );
      return { ...entry, passkeys };
    });
    const ended = (await registry.list(operator.id)).filter(({ credentialDigest }) => credentialDigest === digest(id));
    for (const { key } of ended) await registry.end({ key });
    return { name, ended };
  }

  /** Leaves passkeys as the only way in. @returns the ended sessions */
  async removePassword({ operator, session }: SignedIn): Promise<readonly Session[]> {
    const { accounts, registry } = this.#options;
    await this.#requireConfirmed(session);
    if (session.source !== 'passkey')
      throw new ApiError('not_possible', 'Sign in with a passkey first: it would be your only way in.');
    await accounts.change(operator.id, ({ password, initial_until: _, ...entry }) => {
      if (password === undefined) throw new ApiError('not_possible', 'There is no password of yours here.');
      return entry;
    });
    const ended = (await registry.list(operator.id)).filter(({ source }) => source === 'password');
    for (const { key } of ended) await registry.end({ key });
    return ended;
  }

  /** @returns their names, and the ended sessions */
  async removeAll(
    admin: SignedIn,
    person: string,
  ): Promise<{ readonly names: readonly string[]; readonly ended: readonly Session[] }> {
    requireOther(admin, person);
    let names: readonly string[] = [];
    await this.#options.accounts.change(person, (entry) => {
      names = entry.passkeys.map(({ name }) => name);
      return { ...entry, passkeys: [] };
    });
    return { names, ended: await this.#options.accounts.endAll(person) };
  }

  #entry(operatorId: string): OperatorEntry {
    const entry = this.#options.operators.find(operatorId);
    if (!entry) throw new ApiError('not_possible', 'You sign in at a provider: passkeys are added there.');
    return entry;
  }

  async #isConfirmed(session: SignedIn['session']): Promise<boolean> {
    return (await this.#options.shortLived.read(confirmationOf(session))) !== undefined;
  }

  async #requireConfirmed(session: SignedIn['session']): Promise<void> {
    if (await this.#isConfirmed(session)) return;
    throw new ApiError(
      'not_confirmed',
      'Show first that it is you: POST /api/account/confirmation, within five minutes.',
    );
  }
}

function requireFreeSlot({ passkeys }: OperatorEntry): void {
  if (passkeys.length >= PASSKEYS_MAX)
    throw new ApiError('not_possible', `You have ${PASSKEYS_MAX} passkeys: remove one first.`);
}

function confirmationOf({ key }: SignedIn['session']): ShortLivedName {
  return { kind: 'confirmation', of: key };
}

function ownerOf({ key }: SignedIn['session']): string {
  return `session ${key}`;
}
