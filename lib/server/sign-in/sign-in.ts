import 'server-only';
import { epochMs, type LocalInstant } from '#lib/time/instant.ts';
import type { Operators } from './operators.ts';
import { hashPassword, isHashingBusy, passwordMatches } from './passwords.ts';
import type { SessionOrigin } from './session.ts';
import type { Sessions } from './sessions.ts';
import type { SignInThrottle } from './sign-in-throttle.ts';

type Refused = { readonly kind: 'refused' } | { readonly kind: 'wait'; readonly seconds: number };
export type SignInResult = { readonly kind: 'signed-in'; readonly sessionId: string } | Refused;
type CheckResult = { readonly kind: 'matches'; readonly hash: string } | Refused;

const BUSY_S = 5;

/**
 * Signs in with a name and a password: a match opens a session, and failures delay further tries. An unknown name takes
 * as long as a wrong password, with the same result.
 */
export class SignIn {
  readonly #operators: Operators;
  readonly #sessions: Sessions;
  readonly #throttle: SignInThrottle;
  readonly #dummyHash = hashPassword('no operator has this password');
  readonly #nowMs: () => number;
  readonly #isPasskeyRequired: boolean;

  constructor(
    operators: Operators,
    sessions: Sessions,
    throttle: SignInThrottle,
    now: () => LocalInstant,
    isPasskeyRequired = false,
  ) {
    this.#isPasskeyRequired = isPasskeyRequired;
    this.#nowMs = () => epochMs(now());
    this.#operators = operators;
    this.#sessions = sessions;
    this.#throttle = throttle;
  }

  async attempt(name: string, password: string, origin: SessionOrigin, browser?: string): Promise<SignInResult> {
    const checked = await this.#compare(name, password, origin.address, browser, this.#isPasskeyRequired);
    if (checked.kind !== 'matches') return checked;
    const by = { source: 'password', operatorId: name, credential: checked.hash } as const;
    return { kind: 'signed-in', sessionId: await this.#sessions.open(by, origin) };
  }

  /** Checks a password. Attempts count like those to sign in. */
  check(name: string, password: string, address: string, browser?: string): Promise<CheckResult> {
    return this.#compare(name, password, address, browser, false);
  }

  /** @param withoutPasskey refuses an operator who has a passkey */
  async #compare(
    name: string,
    password: string,
    address: string,
    browser: string | undefined,
    withoutPasskey: boolean,
  ): Promise<CheckResult> {
    const attempt = { account: name, address, browser };
    if (browser === undefined && isHashingBusy()) return { kind: 'wait', seconds: BUSY_S };
    const { waitS, priority } = await this.#throttle.admit(attempt);
    if (waitS > 0) return { kind: 'wait', seconds: waitS };
    await this.#operators.caughtUp();
    const operator = this.#operators.find(name);
    const hash = operator?.password;
    const matches = await passwordMatches(password, hash ?? (await this.#dummyHash), priority);
    const isExpired = operator?.initial_until !== undefined && Date.parse(operator.initial_until) <= this.#nowMs();
    const takesPasskey = withoutPasskey && operator !== undefined && operator.passkeys.length > 0;
    if (hash === undefined || !matches || isExpired || takesPasskey) return { kind: 'refused' };
    await this.#throttle.succeeded(attempt);
    return { kind: 'matches', hash };
  }
}
