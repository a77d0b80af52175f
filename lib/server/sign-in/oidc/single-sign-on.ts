import 'server-only';
import { randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client';
import PQueue from 'p-queue';
import type { Logger } from 'pino';
import type { Role } from '#lib/api/people/permission.ts';
import { returnPath } from '#lib/api/people/return-path.ts';
import { addressBlock } from '#lib/front/client-address.ts';
import type { LocalInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { DatabaseFailure } from '../../database/database-failure.ts';
import type { ShortLived } from '../short-lived.ts';
import { afterFailure, countOf, type Tallies, type TallyName, takenBack } from '../sign-in-throttle.ts';
import { type BegunLogin, BegunLogins, type LoginCookies } from './begun-logins.ts';
import { type OidcFailure, oidcFailure, ProviderUnreachable } from './oidc-failure.ts';
import { type OidcPolicy, oidcRole } from './oidc-policy.ts';
import { OidcProvider, type OidcProviderSetting } from './oidc-provider.ts';
import { type OidcUser, oidcUser } from './oidc-user.ts';

export interface SingleSignOnOptions {
  readonly secret: string;
  /** The states of ended sign-ins: a copy of the cookie cannot restart one. */
  readonly shortLived: ShortLived;
  readonly tallies: Tallies;
  readonly now: () => LocalInstant;
  readonly log: Logger;
}

export interface SingleSignOnSetting extends OidcProviderSetting {
  readonly policy: OidcPolicy;
}

export type LoginResult = { readonly next: string; readonly cookie: string | undefined } & (
  | {
      readonly kind: 'signed-in';
      readonly person: OidcUser;
      readonly role: Role;
      /** Claims that count as not sent, with the reason. */
      readonly leftOut: readonly string[];
    }
  | (OidcFailure & {
      readonly kind: 'failed';
      readonly person?: OidcUser;
    })
);

const QUERY_MAX_LENGTH = 8192;
/** The path after the sign-in has to fit into a cookie; a longer one leads to the start page. */
const NEXT_MAX_LENGTH = 1500;
/** Failed sign-ins of one address, before its codes are no longer redeemed. */
const FAILURES_MAX = 30;
const FAILURES = { free: Number.POSITIVE_INFINITY, windowMs: 15 * MINUTE_MS };
const REDEEMED_AT_ONCE = 4;
const WAITING_MAX = 64;

/**
 * Signs people in at a provider of OpenID Connect: begins a sign-in there, redeems its answer, and finds the role of the
 * person. A sign-in ends once, in the browser that began it. It opens no session.
 */
export class SingleSignOn {
  /** The terms decide who may sign in, and as what: a session ends when they change. */
  readonly terms: string;
  readonly #setting: SingleSignOnSetting;
  readonly #options: SingleSignOnOptions;
  readonly #provider: OidcProvider;
  readonly #begun: BegunLogins;
  readonly #redeeming = new PQueue({ concurrency: REDEEMED_AT_ONCE });

  constructor(setting: SingleSignOnSetting, options: SingleSignOnOptions) {
    const { secret, now, log } = options;
    const { issuer, clientId, groupsClaim, policy } = setting;
    this.terms = JSON.stringify([issuer, clientId, groupsClaim, policy]);
    this.#setting = setting;
    this.#options = options;
    this.#provider = new OidcProvider(setting, now, log);
    this.#begun = new BegunLogins(secret, now);
  }

  get providerHost(): string {
    return new URL(this.#setting.issuer).host;
  }

  isReachable(maxMs: number): Promise<boolean> {
    return this.#provider.isReachable(maxMs);
  }

  async refusedName(sealed: LoginCookies): Promise<string | undefined> {
    return (await this.#begun.read(sealed)).refused;
  }

  get endSessionUrl(): URL | undefined {
    return this.#provider.endSessionUrl;
  }

  /**
   * @param asksAgain the provider asks even a known person
   * @param sealed the browser's cookie
   * @returns `undefined` if the provider is unreachable
   */
  async begin(
    next: string | undefined,
    asksAgain: boolean,
    sealed: LoginCookies,
  ): Promise<{ readonly url: URL; readonly cookie: string | undefined } | undefined> {
    const path = returnPath(next);
    const login: BegunLogin = {
      state: randomState(),
      nonce: randomNonce(),
      codeVerifier: randomPKCECodeVerifier(),
      next: path.length <= NEXT_MAX_LENGTH ? path : '/',
      begunAt: this.#options.now(),
    };
    try {
      const url = await this.#provider.authorizationUrl(login, asksAgain);
      const { logins } = await this.#begun.read(sealed);
      return { url, cookie: await this.#begun.sealed({ logins: [...logins, login], refused: undefined }) };
    } catch (error) {
      if (error instanceof ProviderUnreachable) return undefined;
      throw error;
    }
  }

  /** @param query of the redirect, which anyone can send */
  async end(query: URLSearchParams, sealed: LoginCookies, address: string): Promise<LoginResult> {
    const { logins } = await this.#begun.read(sealed);
    const states = query.getAll('state');
    const login = logins.find(({ state }) => states.length === 1 && state === states[0]);
    // The browser's own sign-in stays intact.
    if (!login || query.toString().length > QUERY_MAX_LENGTH)
      return {
        kind: 'failed',
        problem: 'expired',
        detail: 'not begun in this browser',
        next: '/',
        cookie: [sealed ?? []].flat()[0],
      };
    const others = logins.filter((other) => other !== login);
    const rest = { next: login.next, cookie: await this.#begun.sealed({ logins: others, refused: undefined }) };
    try {
      if (!(await this.#options.shortLived.keep({ kind: 'ended-login', of: login.state }, '')))
        return { kind: 'failed', problem: 'expired', detail: 'already used', ...rest };
      if (!(await this.#mayRedeem(address)))
        return { kind: 'failed', problem: 'too_many_attempts', detail: 'too many attempts', ...rest };
      const claims = await this.#redeeming.add(() => this.#provider.redeem(query, login));
      await this.#succeeded(address);
      const { issuer, groupsClaim, policy } = this.#setting;
      const read = oidcUser(issuer, claims, groupsClaim);
      if (!read.ok) return { kind: 'failed', problem: 'unusable_claims', detail: read.problem, ...rest };
      const { person } = read;
      const leftOut = [...claims.leftOut, ...read.leftOut];
      const role = oidcRole(policy, person);
      if (role !== undefined) return { kind: 'signed-in', person, role, leftOut, ...rest };
      return {
        kind: 'failed',
        problem: read.hasGroupsElsewhere ? 'groups_not_sent' : 'not_allowed',
        detail: [
          'in none of the lists',
          ...(read.hasUnverifiedAddress ? ['the address is not verified'] : []),
          ...(leftOut.length > 0 ? [`left out: ${leftOut.join(', ')}`] : []),
        ].join('; '),
        person,
        ...rest,
        cookie: await this.#begun.sealed({ logins: others, refused: person.name }),
      };
    } catch (error) {
      if (error instanceof DatabaseFailure)
        return { kind: 'failed', problem: 'database', detail: error.message, ...rest };
      return { kind: 'failed', ...oidcFailure(error), ...rest };
    }
  }

  /**
   * Whether a code may be redeemed. An attempt counts as a failure until it succeeds, so that running attempts count.
   */
  async #mayRedeem(address: string): Promise<boolean> {
    if (this.#redeeming.size >= WAITING_MAX) return false;
    const { tallies, now } = this.#options;
    const at = now();
    return tallies.change([failuresOf(address)], at, ([tally]) =>
      countOf(tally, FAILURES, at) >= FAILURES_MAX
        ? { result: false }
        : { result: true, tallies: [afterFailure(tally, FAILURES, at)] },
    );
  }

  async #succeeded(address: string): Promise<void> {
    const { tallies, now } = this.#options;
    await tallies.change([failuresOf(address)], now(), ([tally]) => ({
      result: undefined,
      tallies: [takenBack(tally)],
    }));
  }
}

function failuresOf(address: string): TallyName {
  return { kind: 'address-at-provider', of: addressBlock(address) };
}
