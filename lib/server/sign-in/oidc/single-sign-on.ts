import 'server-only';
import { randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client';
import PQueue from 'p-queue';
import type { Logger } from 'pino';
import type { Role } from '#lib/api/people/permission.ts';
import { returnPath } from '#lib/api/people/return-path.ts';
import { addressBlock } from '#lib/front/address-block.ts';
import type { LocalInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { DatabaseFailure } from '../../database/database-failure.ts';
import type { ShortLived } from '../short-lived.ts';
import type { Tallies, TallyName } from '../tallies.ts';
import { counted, countOf, takenBack } from '../tally.ts';
import { type BegunLogin, BegunLogins, type LoginCookies } from './begun-logins.ts';
import { type OidcFailure, oidcFailure, ProviderUnreachable } from './oidc-failure.ts';
import { type OidcPolicy, oidcRole } from './oidc-policy.ts';
import { OidcProvider, type OidcProviderSetting } from './oidc-provider.ts';
import { type OidcUser, oidcUser } from './oidc-user.ts';

export interface SingleSignOnOptions {
  /** Seals session cookies. */
  readonly secret: string;
  /** The states that came back: a copy of the cookie cannot restart a sign-in. */
  readonly shortLived: ShortLived;
  readonly tallies: Tallies;
  readonly now: () => LocalInstant;
  readonly log: Logger;
}

export interface SingleSignOnSetting extends OidcProviderSetting {
  readonly policy: OidcPolicy;
}

/** How a sign-in ended, and the cookie with those of this browser that have not; `undefined` where there is none. */
export type LoginResult = { readonly next: string; readonly cookie: string | undefined } & (
  | { readonly kind: 'signed-in'; readonly person: OidcUser; readonly role: Role }
  | (OidcFailure & {
      readonly kind: 'failed';
      /** The person who is not allowed, as proven by the provider. */
      readonly person?: OidcUser;
    })
);

/** Longer than any code, state and issuer. */
const QUERY_MAX_LENGTH = 8192;
/** A longer one leads to the start page: it has to fit into a cookie. */
const NEXT_MAX_LENGTH = 1500;
/** Sign-ins that may fail from one address, in this time, before the provider is not asked any more. */
const FAILURES_MAX = 30;
/** They delay nothing by themselves. */
const FAILURES = { free: Number.POSITIVE_INFINITY, windowMs: 15 * MINUTE_MS };
/** Codes that one server redeems at a time, and how many may wait. */
const REDEEMED_AT_ONCE = 4;
const WAITING_MAX = 64;

/** Signing in at the OpenID provider: what begins in a browser ends there, once. */
export class SingleSignOn {
  /** The settings that decide who may sign in, and as what: a session ends when they change. */
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

  /** The name by which people know the provider. */
  get providerHost(): string {
    return new URL(this.#setting.issuer).host;
  }

  /** @param maxMs how long to look for a provider that is not known yet */
  isReachable(maxMs: number): Promise<boolean> {
    return this.#provider.isReachable(maxMs);
  }

  /** The name of the person who was refused last in the browser with this cookie. */
  async refusedName(sealed: LoginCookies): Promise<string | undefined> {
    return (await this.#begun.read(sealed)).refused;
  }

  /** Where people can sign out of the provider itself; `undefined` if it announces no such place, or is not known yet. */
  get endSessionUrl(): URL | undefined {
    return this.#provider.endSessionUrl;
  }

  /**
   * Begins a sign-in.
   * @param next where to go afterwards, as the browser asked for it
   * @param asksAgain the provider is to ask who signs in, even if it knows
   * @param sealed the cookie that the browser has so far
   * @returns where the browser goes, with the cookie that it needs to come back; `undefined` if the provider is not reached
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

  /**
   * Ends a sign-in that this browser began.
   * @param query with which the provider sent the browser back; it may be anybody's
   * @param sealed the cookie of the browser
   */
  async end(query: URLSearchParams, sealed: LoginCookies, address: string): Promise<LoginResult> {
    const { logins } = await this.#begun.read(sealed);
    const states = query.getAll('state');
    const login = logins.find(({ state }) => states.length === 1 && state === states[0]);
    // This address does not answer the sign-in that this browser began, and leaves that sign-in intact.
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
      const read = oidcUser(issuer, claims.idToken, claims.userinfo, groupsClaim);
      if (!read.ok) return { kind: 'failed', problem: 'unusable_claims', detail: read.problem, ...rest };
      const { person } = read;
      const role = oidcRole(policy, person);
      if (role !== undefined) return { kind: 'signed-in', person, role, ...rest };
      const cookie = await this.#begun.sealed({ logins: others, refused: person.name });
      return { kind: 'failed', problem: 'not_allowed', detail: 'in none of the lists', person, ...rest, cookie };
    } catch (error) {
      if (error instanceof DatabaseFailure)
        return { kind: 'failed', problem: 'database', detail: error.message, ...rest };
      return { kind: 'failed', ...oidcFailure(error), ...rest };
    }
  }

  /** Each attempt counts as a failure until it succeeds, so that those under way count as well. */
  async #mayRedeem(address: string): Promise<boolean> {
    if (this.#redeeming.size >= WAITING_MAX) return false;
    const { tallies, now } = this.#options;
    const at = now();
    return tallies.change([failuresOf(address)], at, ([tally]) =>
      countOf(tally, FAILURES, at) >= FAILURES_MAX
        ? { result: false }
        : { result: true, tallies: [counted(tally, FAILURES, at)] },
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
