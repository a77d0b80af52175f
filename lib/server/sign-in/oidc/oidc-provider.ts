import 'server-only';
import {
  // biome-ignore lint/suspicious/noDeprecatedImports: marked so as to stand out; it is used for a provider on loopback alone.
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  type ClientAuth,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type ServerMetadata,
} from 'openid-client';
import type { Logger } from 'pino';
import { fetch } from 'undici';
import { Coalesced } from '#lib/async/coalesced.ts';
import { addMs, type LocalInstant } from '#lib/time/instant.ts';
import { HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { withinMs } from '../../machine.ts';
import { boundedBody } from '../../upstream/bounded-body.ts';
import { isLoopbackHost } from '../relying-party.ts';
import {
  ClientRefused,
  causesOf,
  ProviderUnreachable,
  refusedWith,
  refusesClient,
  SecretUnreadable,
} from './oidc-failure.ts';
import { lacksClaims, type ProvenClaims } from './oidc-user.ts';

const REQUEST_MAX_S = 5;
/** The library reads the keys more often. */
const DESCRIPTION_MAX_AGE_MS = HOUR_MS;
const ISSUER_MAX_SHOWN = 200;
const RETRY_PAUSE_MS = 5 * SECOND_MS;

export interface LoginChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

export interface OidcProviderSetting {
  readonly issuer: string;
  readonly clientId: string;
  /** @throws Error if unreadable */
  readonly clientSecret: () => string;
  readonly redirectUri: string;
  readonly groupsClaim: string;
}

export interface Redeemed extends ProvenClaims {
  /** Why the userinfo endpoint added nothing, for the log. */
  readonly leftOut: readonly string[];
}

export class OidcProvider {
  readonly #setting: OidcProviderSetting;
  readonly #now: () => LocalInstant;
  readonly #log: Logger;
  #found:
    | { readonly configuration: Configuration; readonly endSessionUrl: URL | undefined; readonly until: LocalInstant }
    | undefined;
  readonly #searches = new Coalesced(() => this.#discover());
  #failed: { readonly error: ProviderUnreachable; readonly until: LocalInstant } | undefined;

  constructor(setting: OidcProviderSetting, now: () => LocalInstant, log: Logger) {
    this.#setting = setting;
    this.#now = now;
    this.#log = log;
  }

  /** Waits at most `maxMs` for discovery, then answers by the last result. */
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

  /** @throws ProviderUnreachable */
  async authorizationUrl({ state, nonce, codeVerifier }: LoginChecks, asksAgain: boolean): Promise<URL> {
    const configuration = await this.#configuration();
    const { scopes_supported, prompt_values_supported } = configuration.serverMetadata();
    return buildAuthorizationUrl(configuration, {
      redirect_uri: this.#setting.redirectUri,
      // Some providers give groups only on request, others refuse unknown scopes.
      scope: scopes_supported?.includes('groups') ? 'openid profile email groups' : 'openid profile email',
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      ...(asksAgain ? { prompt: this.#promptToAsk(prompt_values_supported) } : {}),
    });
  }

  /**
   * @throws ProviderUnreachable; SecretUnreadable; ClientRefused; what openid-client throws where the provider refuses or a check
   * fails
   */
  async redeem(query: URLSearchParams, { state, nonce, codeVerifier }: LoginChecks): Promise<Redeemed> {
    const configuration = await this.#configuration();
    this.#requireSecret();
    const address = new URL(this.#setting.redirectUri);
    address.search = query.toString();
    const tokens = await authorizationCodeGrant(configuration, address, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    }).catch((error: unknown) => {
      if (!refusesClient(error)) throw error;
      throw new ClientRefused(this.#authentication(configuration.serverMetadata()).refusal, { cause: error });
    });
    const idToken = tokens.claims();
    if (!idToken) throw new Error('the provider gave no id token');
    const asks =
      lacksClaims(idToken, this.#setting.groupsClaim) && configuration.serverMetadata().userinfo_endpoint !== undefined;
    if (!asks) return { idToken, userinfo: {}, leftOut: [] };
    try {
      return { idToken, userinfo: await fetchUserInfo(configuration, tokens.access_token, idToken.sub), leftOut: [] };
    } catch (error) {
      const status = refusedWith(error);
      if (status === undefined) throw error;
      return { idToken, userinfo: {}, leftOut: [`userinfo (answered ${status})`] };
    }
  }

  /** `undefined` if not announced or not known yet. */
  get endSessionUrl(): URL | undefined {
    return this.#found?.endSessionUrl;
  }

  /** The library would report an unreadable secret as a missing answer. */
  #requireSecret(): void {
    try {
      this.#setting.clientSecret();
    } catch (cause) {
      throw new SecretUnreadable('OIDC_CLIENT_SECRET_FILE', { cause });
    }
  }

  #authentication({ token_endpoint_auth_methods_supported: methods }: ServerMetadata): ClientAuthentication {
    return clientAuthentication(this.#setting.clientId, this.#setting.clientSecret(), methods);
  }

  async #configuration(): Promise<Configuration> {
    const now = this.#now();
    if (this.#found && now < this.#found.until) return this.#found.configuration;
    if (this.#failed && now < this.#failed.until) {
      if (this.#found) return this.#found.configuration;
      throw this.#failed.error;
    }
    return this.#searches.join();
  }

  async #discover(): Promise<Configuration> {
    const { issuer, clientId } = this.#setting;
    try {
      const configuration = await discovery(
        new URL(issuer),
        clientId,
        undefined,
        (server, ...rest) => this.#authentication(server).authenticate(server, ...rest),
        {
          [customFetch]: boundedFetch,
          timeout: REQUEST_MAX_S,
          execute: [enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [allowInsecureRequests] : [])],
        },
      );
      const named = configuration.serverMetadata().issuer;
      // The library ignores a final slash, but an issuer is a name.
      if (named !== issuer)
        throw new Error(
          `the provider calls itself ${JSON.stringify(named.slice(0, ISSUER_MAX_SHOWN))}; set OIDC_ISSUER to exactly that`,
        );
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

  #promptToAsk(supported: unknown): string {
    // Google supports this value without announcing it.
    const selects = Array.isArray(supported)
      ? supported.includes('select_account')
      : this.#setting.issuer === 'https://accounts.google.com';
    return selects ? 'select_account' : 'login';
  }
}

const BASIC = 'client_secret_basic';
const POST = 'client_secret_post';
/** RFC 6749, appendix B, except that `~`, which RFC 3986 never encodes, stays as it is. */
const ENCODED = /[^A-Za-z0-9\-._~*]/gu;
const METHODS_MAX_SHOWN = 200;

export interface ClientAuthentication {
  readonly authenticate: ClientAuth;
  /** The text for the log, if the provider refuses the client. */
  readonly refusal: string;
}

/**
 * Authenticates the client by HTTP Basic, unless the provider announces only the body. Encodes no more than needed:
 * some providers compare the secret without decoding it.
 * @param methods that the provider announces; by default, only HTTP Basic (RFC 8414, section 2)
 */
export function clientAuthentication(
  clientId: string,
  clientSecret: string,
  methods: readonly string[] = [BASIC],
): ClientAuthentication {
  const usesBasic = methods.includes(BASIC);
  const [user, password] = [formEncoded(clientId), formEncoded(clientSecret)];
  const refused = `the provider refused OIDC_CLIENT_ID and its secret, sent by ${usesBasic ? BASIC : POST}`;
  if (!usesBasic)
    return {
      authenticate: ClientSecretPost(clientSecret),
      refusal: methods.includes(POST) ? refused : `${refused}: it announces only ${shown(methods)}`,
    };
  const isEncoded = user !== clientId || password !== clientSecret;
  return {
    authenticate: (_server, _client, _body, headers) =>
      headers.set('authorization', `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`),
    refusal: isEncoded
      ? `${refused}; ${user === clientId ? 'the secret' : 'one of them'} has characters that are sent encoded, which some providers do not decode: letters, digits and -._~ are sent as they are`
      : refused,
  };
}

function formEncoded(text: string): string {
  return text.replace(ENCODED, (character) =>
    character === ' '
      ? '+'
      : [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}

function shown(methods: readonly string[]): string {
  return (
    methods
      .join(', ')
      .replace(/[^\w ,-]/g, '')
      .slice(0, METHODS_MAX_SHOWN) || 'nothing'
  );
}

const ANSWER_MAX_BYTES = 512 * 1024;
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/**
 * Next replaces the global fetch by a caching one.
 * @throws BodyTooLarge; TypeError without an answer, or for an unencrypted address
 */
export const boundedFetch: CustomFetch = async (url, { body, headers, method, signal }) => {
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'https:' && !isLoopbackHost(hostname)) throw new TypeError('requests to the provider need https');
  const answer = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    ...(body instanceof URLSearchParams || typeof body === 'string' ? { body: String(body) } : {}),
    ...(signal ? { signal } : {}),
  });
  const text = await boundedBody(answer.body ?? noBody(), ANSWER_MAX_BYTES);
  return new Response(WITHOUT_BODY.has(answer.status) ? null : text, {
    status: answer.status,
    headers: [...answer.headers],
  });
};

async function* noBody(): AsyncGenerator<Uint8Array> {}
