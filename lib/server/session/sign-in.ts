import 'server-only';
import type { Operators } from './operators.ts';
import { hashPassword, passwordMatches } from './password-hash.ts';
import type { SessionRegistry } from './session-registry.ts';
import type { SignInThrottle } from './sign-in-throttle.ts';

export type SignInResult =
  | { readonly kind: 'signed-in'; readonly sessionId: string }
  | { readonly kind: 'refused' }
  | { readonly kind: 'wait'; readonly seconds: number };

/** Checks a name and password. An unknown name takes as long as a wrong password, and gives the same result. */
export class SignIn {
  readonly #operators: Operators;
  readonly #sessions: SessionRegistry;
  readonly #throttle: SignInThrottle;
  /** Compared with where there is no such operator, so that it takes as long. */
  readonly #dummyHash = hashPassword('nobody has this password');

  constructor(operators: Operators, sessions: SessionRegistry, throttle: SignInThrottle) {
    this.#operators = operators;
    this.#sessions = sessions;
    this.#throttle = throttle;
  }

  async attempt(name: string, password: string, address: string): Promise<SignInResult> {
    const seconds = await this.#throttle.admit(name, address);
    if (seconds > 0) return { kind: 'wait', seconds };
    const hash = this.#operators.passwordHash(name);
    const matches = await passwordMatches(password, hash ?? (await this.#dummyHash));
    if (hash === undefined || !matches) return { kind: 'refused' };
    await this.#throttle.succeeded(name, address);
    return { kind: 'signed-in', sessionId: this.#sessions.open(name, hash) };
  }
}
