import 'server-only';
import {
  // biome-ignore lint/suspicious/noDeprecatedImports: marked so as to stand out; it is used for a provider on loopback alone.
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
} from 'openid-client';
import type { Logger } from 'pino';
import { addMs, type LocalInstant } from '#lib/time/instant.ts';
import { HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { withinMs } from '../../upstream/unless-aborted.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { causesOf, ProviderUnreachable, SecretUnreadable } from './oidc-failure.ts';

/** How long a request to the provider may take, with the body of its answer. */
const REQUEST_MAX_S = 5;
/** How long the provider's own description is used before it is read again; its keys are read more often, by the library. */
const DESCRIPTION_MAX_AGE_MS = HOUR_MS;
const ISSUER_MAX_SHOWN = 200;
/** After a failure the provider is not requested again for this long. */
const RETRY_PAUSE_MS = 5 * SECOND_MS;

/** The values that prove a provider's answer belongs to the sign-in that this browser began. */
export interface LoginChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

export interface OidcProviderSetting {
  readonly issuer: string;
  readonly clientId: string;
  /** The current secret. @throws Error where it cannot be read */
  readonly clientSecret: () => string;
  readonly redirectUri: string;
  readonly groupsClaim: string;
}

export interface ProvenClaims {
  readonly idToken: Readonly<Record<string, unknown>>;
  /** Empty where the token itself says everything. */
  readonly userinfo: Readonly<Record<string, unknown>>;
}

/** The OpenID provider: found by its issuer at first use, and looked for again until it is found. */
export class OidcProvider {
  readonly #setting: OidcProviderSetting;
  readonly #now: () => LocalInstant;
  readonly #log: Logger;
  #found:
    | { readonly configuration: Configuration; readonly endSessionUrl: URL | undefined; readonly until: LocalInstant }
    | undefined;
  #search: Promise<Configuration> | undefined;
  #failed: { readonly error: ProviderUnreachable; readonly until: LocalInstant } | undefined;

  constructor(setting: OidcProviderSetting, now: () => LocalInstant, log: Logger) {
    this.#setting = setting;
    this.#now = now;
    this.#log = log;
  }

  /**
   * Whether sign-in can begin. Looks for the provider if it is not known yet, and waits at most `maxMs` for that; without an answer
   * by then, what was last found holds.
   */
  async isReachable(maxMs: number): Promise<boolean> {
    let isReachable = this.#failed === undefined;
    const search = this.#configuration().then(
      () => {
        isReachable = true;
      },
      () => {
        isReachable = false;
      },
    );
    await withinMs(search, maxMs);
    return isReachable;
  }

  /**
   * Where the browser goes to sign in.
   * @param asksAgain the provider is to ask who signs in, even if it knows
   * @throws ProviderUnreachable
   */
  async authorizationUrl({ state, nonce, codeVerifier }: LoginChecks, asksAgain: boolean): Promise<URL> {
    const configuration = await this.#configuration();
    const { scopes_supported, prompt_values_supported } = configuration.serverMetadata();
    return buildAuthorizationUrl(configuration, {
      redirect_uri: this.#setting.redirectUri,
      // Some providers give groups only to who asks for them, others refuse a scope that they do not know.
      scope: scopes_supported?.includes('groups') ? 'openid profile email groups' : 'openid profile email',
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      ...(asksAgain ? { prompt: this.#promptToAsk(prompt_values_supported) } : {}),
    });
  }

  /**
   * Redeems the code that the provider sent the browser back with.
   * @param query of the address that the browser was sent to
   * @throws ProviderUnreachable; SecretUnreadable; what openid-client throws where the provider refuses or a check fails
   */
  async redeem(query: URLSearchParams, { state, nonce, codeVerifier }: LoginChecks): Promise<ProvenClaims> {
    const configuration = await this.#configuration();
    this.#requireSecret();
    const address = new URL(this.#setting.redirectUri);
    address.search = query.toString();
    const tokens = await authorizationCodeGrant(configuration, address, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    });
    const idToken = tokens.claims();
    if (!idToken) throw new Error('the provider gave no id token');
    const isWhole = ['name', 'email', this.#setting.groupsClaim].every((claim) => Object.hasOwn(idToken, claim));
    const asked = !isWhole && configuration.serverMetadata().userinfo_endpoint !== undefined;
    return {
      idToken,
      userinfo: asked ? await fetchUserInfo(configuration, tokens.access_token, idToken.sub) : {},
    };
  }

  /** Where people can sign out of the provider itself; `undefined` if it announces no such place, or is not known yet. */
  get endSessionUrl(): URL | undefined {
    return this.#found?.endSessionUrl;
  }

  /** Checked first: the library would report a secret that cannot be read as an answer that did not come. */
  #requireSecret(): void {
    try {
      this.#setting.clientSecret();
    } catch (cause) {
      throw new SecretUnreadable('OIDC_CLIENT_SECRET_FILE', { cause });
    }
  }

  async #configuration(): Promise<Configuration> {
    const now = this.#now();
    if (this.#found && now < this.#found.until) return this.#found.configuration;
    if (this.#failed && now < this.#failed.until) {
      if (this.#found) return this.#found.configuration;
      throw this.#failed.error;
    }
    this.#search ??= this.#discover().finally(() => {
      this.#search = undefined;
    });
    return this.#search;
  }

  async #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#setting;
    try {
      const configuration = await discovery(
        new URL(issuer),
        clientId,
        undefined,
        ({ token_endpoint_auth_methods_supported: methods = ['client_secret_basic'], ...server }, ...rest) => {
          const authenticate = methods.includes('client_secret_basic') ? ClientSecretBasic : ClientSecretPost;
          return authenticate(clientSecret())(server, ...rest);
        },
        {
          [customFetch]: boundedFetch,
          timeout: REQUEST_MAX_S,
          execute: [enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [allowInsecureRequests] : [])],
        },
      );
      const named = configuration.serverMetadata().issuer;
      // The library compares addresses, in which a final slash is the same; an issuer is a name.
      if (named !== issuer)
        throw new Error(
          `the provider calls itself ${JSON.stringify(named.slice(0, ISSUER_MAX_SHOWN))}; set OIDC_ISSUER to exactly that`,
        );
      // Throws where that is no address to send a browser to.
      buildAuthorizationUrl(configuration, {});
      const endSessionUrl =
        configuration.serverMetadata().end_session_endpoint === undefined
          ? undefined
          : buildEndSessionUrl(configuration);
      this.#found = { configuration, endSessionUrl, until: addMs(this.#now(), DESCRIPTION_MAX_AGE_MS) };
      if (this.#failed) this.#log.info('the provider of single sign-on is reached again');
      this.#failed = undefined;
      return configuration;
    } catch (cause) {
      const error = new ProviderUnreachable(causesOf(cause));
      if (this.#failed?.error.message !== error.message)
        this.#log.error({ issuer, detail: error.message }, 'the provider of single sign-on cannot be used');
      this.#failed = { error, until: addMs(this.#now(), RETRY_PAUSE_MS) };
      if (this.#found) return this.#found.configuration;
      throw error;
    }
  }

  /** @param supported of the provider's description, where it says so */
  #promptToAsk(supported: unknown): string {
    // Google knows this value and not the other, and does not say so.
    const selects = Array.isArray(supported)
      ? supported.includes('select_account')
      : this.#setting.issuer === 'https://accounts.google.com';
    return selects ? 'select_account' : 'login';
  }
}
