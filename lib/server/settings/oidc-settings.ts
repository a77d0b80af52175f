import 'server-only';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isLoopbackHost } from '../sign-in/loopback-host.ts';
import { type OidcPolicy, oidcEntries } from '../sign-in/oidc/oidc-policy.ts';
import { isUsableKey } from '../upstream/api-key.ts';
import { type NetworkSettings, publicOrigin } from './network-settings.ts';
import { optionalText, type SettingProblem, unreadable } from './setting-forms.ts';

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
