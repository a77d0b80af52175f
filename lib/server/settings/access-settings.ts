// Settings of the way in: the addresses where Lookout is reached, and how operators sign in.
import 'server-only';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { proxyProblem } from '#lib/front/client-address.ts';
import { type OidcPolicy, oidcEntries } from '../sign-in/oidc/oidc-policy.ts';
import { isLoopbackHost, type RelyingPartyResult, relyingParty } from '../sign-in/relying-party.ts';
import { isUsableKey } from '../upstream/api-key.ts';
import {
  isPort,
  oneOrNothing,
  optionalText,
  optionalUrl,
  type SettingProblem,
  textList,
  unreadable,
} from './setting-forms.ts';

const addressList = textList.superRefine((entries, context) => {
  for (const entry of entries) {
    const problem = proxyProblem(entry);
    if (problem)
      context.addIssue({
        code: 'custom',
        message: `must be addresses, ranges or loopback, separated by commas: ${problem}`,
      });
  }
});

export const networkSettings = z.object({
  /** Address that operators use. With https, the cookie is Secure and HSTS is on. */
  PUBLIC_URL: optionalUrl('the address where operators reach Lookout'),
  /** `1`: HSTS includes the subdomains of that host. */
  HSTS_SUBDOMAINS: oneOrNothing,
  /** Address to listen on. Addresses other than loopback need sign-in, and a `PUBLIC_URL` with https. */
  HOST: optionalText.transform((text) => text ?? '127.0.0.1'),
  /** Port to listen on. */
  PORT: optionalText.transform((text) => (text !== undefined && isPort(text) ? Number(text) : 3000)),
  /** `1`: other machines may connect without TLS. Passwords, sessions and positions are then readable on the network. */
  ALLOW_PLAIN_HTTP: oneOrNothing,
  /**
   * Reverse proxies with a trusted `X-Forwarded-For`: addresses, ranges such as `10.0.0.0/8`, or `loopback`. Without it, all
   * clients of a proxy count as one address.
   */
  TRUSTED_PROXIES: addressList,
  /**
   * Addresses that are not public, and that destinations of alarms may have: addresses, ranges such as `10.0.0.0/8`, or
   * `loopback`. Without it, Lookout sends alarms to public addresses only.
   */
  OUTPUT_PRIVATE_ADDRESSES: addressList,
  /** Where a finder of a weakness of this installation writes to: `mailto:` or `https://`; served in `/.well-known/security.txt`. */
  SECURITY_CONTACT: optionalText.refine((text) => text === undefined || isContact(text), {
    error: 'must be an address such as mailto:security@example.org or https://example.org/security',
  }),
});

function isContact(text: string): boolean {
  return /^(?:mailto:[!-?A-~]+@[!-~]+|https:\/\/[!-~]+)$/.test(text) && URL.canParse(text);
}

export type NetworkSettings = z.infer<typeof networkSettings>;

export interface NetworkConfig {
  readonly publicOrigin: string | undefined;
  readonly tls: boolean;
  readonly plainHttp: boolean;
  readonly hstsSubdomains: boolean;
  readonly trustedProxies: readonly string[];
  readonly outputPrivateAddresses: readonly string[];
  /** `undefined`: there is no security.txt. */
  readonly securityContact: string | undefined;
}

export function* networkProblems(settings: NetworkSettings): Generator<SettingProblem<NetworkSettings>> {
  const isTls = settings.PUBLIC_URL?.startsWith('https:') ?? false;
  if (!isLoopbackHost(settings.HOST) && !isTls && !settings.ALLOW_PLAIN_HTTP) {
    yield [
      'HOST',
      `${settings.HOST} can be reached from other machines. Without TLS, any machine on the way could read passwords, take over sessions and see positions. Put a reverse proxy with TLS in front and set PUBLIC_URL to its https address, or accept that with ALLOW_PLAIN_HTTP=1`,
    ];
  }
  if (settings.HSTS_SUBDOMAINS && !isTls) yield ['HSTS_SUBDOMAINS', 'needs PUBLIC_URL with https://'];
}

export function networkConfig(settings: NetworkSettings): NetworkConfig {
  const origin = publicOrigin(settings);
  return {
    publicOrigin: origin,
    tls: origin?.startsWith('https:') ?? false,
    plainHttp: settings.ALLOW_PLAIN_HTTP && !isLoopbackHost(settings.HOST),
    hstsSubdomains: settings.HSTS_SUBDOMAINS,
    trustedProxies: settings.TRUSTED_PROXIES,
    outputPrivateAddresses: settings.OUTPUT_PRIVATE_ADDRESSES,
    securityContact: settings.SECURITY_CONTACT,
  };
}

function publicOrigin({ PUBLIC_URL: address }: Pick<NetworkSettings, 'PUBLIC_URL'>): string | undefined {
  return address === undefined ? undefined : new URL(address).origin;
}

export const signInSettings = z.object({
  /** Seals the session cookie, 32 characters or more; default: generated and stored in the database. */
  SESSION_SECRET: optionalText.refine((text) => text === undefined || text.length >= 32, {
    error: 'must have at least 32 characters; make one with: openssl rand -base64 32',
  }),
  /** `1`: operators sign in by passkey. A password only opens the page that adds one. */
  REQUIRE_PASSKEYS: oneOrNothing,
});

type SignInSettings = z.infer<typeof signInSettings>;
type PasskeySettings = SignInSettings & Pick<NetworkSettings, 'PUBLIC_URL' | 'HOST' | 'PORT'>;
interface EmbeddedSetting {
  readonly POSITIONS_EMBEDDED?: string | undefined;
}

export interface SignInConfig {
  /** `undefined` if no sign-in is needed. */
  readonly signInReason: string | undefined;
  readonly relyingParty: RelyingPartyResult;
  readonly requirePasskeys: boolean;
  readonly sessionSecret: string | undefined;
}

export function* passkeyProblems(settings: PasskeySettings): Generator<SettingProblem<PasskeySettings>> {
  if (!settings.REQUIRE_PASSKEYS) return;
  const { PUBLIC_URL: address } = settings;
  if (address !== undefined && !URL.canParse(address)) return;
  const party = relyingParty(publicOrigin(settings), settings.HOST, settings.PORT);
  if ('problem' in party) yield ['REQUIRE_PASSKEYS', `keeps everybody out here. ${party.problem}`];
}

export function signInConfig(settings: PasskeySettings & EmbeddedSetting): SignInConfig {
  return {
    signInReason: signInReason(settings),
    relyingParty: relyingParty(publicOrigin(settings), settings.HOST, settings.PORT),
    requirePasskeys: settings.REQUIRE_PASSKEYS,
    sessionSecret: settings.SESSION_SECRET,
  };
}

function signInReason({
  POSITIONS_EMBEDDED: embedded,
  HOST: host,
  PUBLIC_URL: address,
}: PasskeySettings & EmbeddedSetting) {
  if (embedded === undefined) return 'a real upstream needs operators to sign in';
  if (!isLoopbackHost(host)) return `HOST=${host} can be reached from other machines`;
  if (address === undefined || isLoopbackHost(new URL(address).hostname)) return undefined;
  return `PUBLIC_URL=${address} can be reached from other machines`;
}

/** Groups, addresses, hosts of addresses, or `*`. */
const oidcList = optionalText.transform((text, context) => {
  const entries = oidcEntries(text ?? '');
  if (typeof entries !== 'string') return entries;
  context.addIssue(entries);
  return z.NEVER;
});

export const oidcSettings = z.object({
  /** Issuer of the OpenID provider (`single-sign-on.md`); needs the next three and `PUBLIC_URL`. */
  OIDC_ISSUER: optionalText,
  /** Lookout's client id at the provider. */
  OIDC_CLIENT_ID: optionalText,
  /** File with the client secret; read again when it changes. */
  OIDC_CLIENT_SECRET_FILE: optionalText,
  /**
   * Groups and addresses that sign in as operators, separated by commas; `@example.org` for a domain, `*` for all. An
   * entry with commas is in double quotes.
   */
  OIDC_ALLOW: oidcList,
  /** The same for admins. */
  OIDC_ADMIN: oidcList,
  /** The same for viewers. */
  OIDC_VIEWER: oidcList,
  /** Claim with the groups of a user, or a path such as `realm_access.roles`. */
  OIDC_GROUPS_CLAIM: optionalText.transform((text) => text ?? 'groups'),
});

type OidcSettings = z.infer<typeof oidcSettings> & Pick<NetworkSettings, 'PUBLIC_URL'>;

export interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecretFile: string;
  readonly redirectUri: string;
  readonly groupsClaim: string;
  readonly policy: OidcPolicy;
}

/** @param settings without lists whose text was refused already */
export function* oidcProblems(settings: Partial<OidcSettings>): Generator<SettingProblem<OidcSettings>> {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_SECRET_FILE: secretFile } = settings;
  if (issuer === undefined) {
    const names = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET_FILE', 'OIDC_ALLOW', 'OIDC_ADMIN', 'OIDC_VIEWER'] as const;
    for (const name of names) {
      if (settings[name]?.length)
        yield [name, 'is for single sign-on and has no effect without OIDC_ISSUER; set both or none'];
    }
    return;
  }
  if (!isIssuer(issuer))
    yield [
      'OIDC_ISSUER',
      'must be the issuer exactly as the provider names itself, starting with https:// and without user, query or fragment',
    ];
  if (settings.OIDC_CLIENT_ID === undefined)
    yield ['OIDC_CLIENT_ID', 'is needed with OIDC_ISSUER: the name under which the provider knows Lookout'];
  const problem = secretProblem(secretFile);
  if (problem) yield ['OIDC_CLIENT_SECRET_FILE', problem];
  if (settings.OIDC_ALLOW?.length === 0)
    yield [
      'OIDC_ALLOW',
      'is needed with OIDC_ISSUER: groups and addresses that may sign in, or * for everyone whom the provider knows',
    ];
  if (settings.PUBLIC_URL === undefined)
    yield ['PUBLIC_URL', 'is needed with OIDC_ISSUER: the provider sends people back to it'];
}

function secretProblem(file: string | undefined): string | undefined {
  if (file === undefined) return 'is needed with OIDC_ISSUER: a file that contains only the client secret';
  const problem = unreadable(file);
  if (problem) return problem;
  return isUsableKey(readFileSync(file, 'utf8').trim())
    ? undefined
    : `names ${file}, which must contain the secret alone, without spaces`;
}

function isIssuer(text: string): boolean {
  if (!/^https?:\/\/[^\s?#]+$/.test(text) || !URL.canParse(text) || text.includes('/.well-known/')) return false;
  const { protocol, hostname, username, password } = new URL(text);
  return username === '' && password === '' && (protocol === 'https:' || isLoopbackHost(hostname));
}

/** `undefined` without single sign-on. */
export function oidcConfig(settings: OidcSettings): OidcConfig | undefined {
  if (settings.OIDC_ISSUER === undefined) return undefined;
  return {
    issuer: settings.OIDC_ISSUER,
    clientId: settings.OIDC_CLIENT_ID as string,
    clientSecretFile: settings.OIDC_CLIENT_SECRET_FILE as string,
    redirectUri: `${publicOrigin(settings)}/sign-in/oidc/callback`,
    groupsClaim: settings.OIDC_GROUPS_CLAIM,
    policy: { admins: settings.OIDC_ADMIN, operators: settings.OIDC_ALLOW, viewers: settings.OIDC_VIEWER },
  };
}
