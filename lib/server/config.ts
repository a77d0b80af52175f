import 'server-only';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { proxyProblem } from '#lib/front/client-address.ts';
import { isLoopbackHost } from './loopback-host.ts';
import { type ConfiguredMap, configuredMapProblems, configuredMaps } from './maps/map-setting.ts';
import { type OidcPolicy, oidcEntries } from './session/oidc/oidc-policy.ts';
import { type RelyingPartyResult, relyingParty } from './session/passkeys/relying-party.ts';
import { isUsableKey } from './upstream/api-key.ts';

/** A setting that is present but empty counts as not set: shells and compose files clear settings that way. */
const optionalText = z
  .string()
  .optional()
  .transform((text) => (text?.trim() ? text.trim() : undefined));

function optionalUrl(what: string) {
  return optionalText.refine((text) => text === undefined || (/^https?:\/\/\S+$/.test(text) && URL.canParse(text)), {
    error: `must be ${what}, starting with http:// or https://`,
  });
}

/** A choice that is made with 1. */
const oneOrNothing = optionalText
  .refine((text) => text === undefined || text === '1', { error: 'must be 1, or not set' })
  .transform((text) => text === '1');

/** Who is meant in single sign-on: groups, addresses, hosts of addresses or everyone. */
const oidcList = optionalText
  .transform((text) => oidcEntries(text ?? ''))
  .refine((entries) => entries !== undefined, {
    error:
      'must be groups, addresses such as bob@example.org, @example.org for all of a host, or *, separated by commas',
  })
  .transform((entries) => entries ?? []);

const TOKEN_MIN_LENGTH = 32;
const logLevels = ['debug', 'info', 'warn', 'error', 'silent'];

const settingsSchema = z
  .object({
    /** The upstream, with its version segment; if not set, the embedded service, which the start script provides. */
    POSITIONS_API_URL: optionalUrl('the address of the positions service with its version segment'),
    /** Set only by the start script, when it has started the embedded service itself: no sign-in is needed on loopback. */
    POSITIONS_EMBEDDED: optionalText,
    /** Set only by the start script, with receivers: where the embedded service tells what it receives. */
    POSITIONS_STATUS_SOCKET: optionalText,
    POSITIONS_API_KEY: optionalText.refine((key) => key === undefined || isUsableKey(key), {
      error: 'must be printable ASCII without spaces, exactly as the upstream showed it',
    }),
    /** A file that contains only the key; reread when it changes, so that a key is rotated without a restart. */
    POSITIONS_API_KEY_FILE: optionalText,
    /** The literal prefix of public references; if not set, any prefix is accepted. */
    POSITIONS_TRACK_PREFIX: optionalText,
    /** Seals the session cookie; if not set, generated once and stored in DATA_DIR. */
    SESSION_SECRET: optionalText.refine((text) => text === undefined || text.length >= 32, {
      error: 'must have at least 32 characters; make one with: openssl rand -base64 32',
    }),
    OPERATORS_FILE: optionalText,
    /** The provider of single sign-on, by the name that it gives itself. */
    OIDC_ISSUER: optionalText,
    OIDC_CLIENT_ID: optionalText,
    /** A file that contains only the client secret; reread when it changes. */
    OIDC_CLIENT_SECRET_FILE: optionalText,
    OIDC_ALLOW: oidcList,
    OIDC_ADMIN: oidcList,
    OIDC_VIEWER: oidcList,
    OIDC_GROUPS_CLAIM: optionalText.transform((text) => text ?? 'groups'),
    /** Directory for everything that must survive a restart. */
    DATA_DIR: optionalText.transform((text) => text ?? 'data'),
    /** Days for which it is kept who did what. */
    AUDIT_DAYS: optionalText
      .transform((text) => text ?? '365')
      .refine((text) => /^[1-9]\d{0,3}$/.test(text), { error: 'must be a whole number of days from 1 to 9999' })
      .transform(Number),
    /** Port of 127.0.0.1 where Prometheus reads metrics. */
    METRICS_PORT: optionalText.refine((text) => text === undefined || isPort(text), {
      error: 'must be a port from 1 to 65535, other than PORT',
    }),
    /** A file that contains only the token with which /metrics is read from another machine. */
    METRICS_TOKEN_FILE: optionalText,
    MAP_STYLE_URL: optionalUrl('the address of a MapLibre style'),
    /** Further origins of the style's tiles, sprites and glyphs, for the content security policy. */
    MAP_STYLE_ORIGINS: optionalText
      .transform((text) => text?.split(/[\s,]+/) ?? [])
      .refine((origins) => origins.every((origin) => /^https?:\/\/[^/\s;]+$/.test(origin)), {
        error: 'must be origins such as https://tiles.example, separated by commas',
      }),
    /** Maps of one's own region: PMTiles archives on disk, FILE or NAME=FILE, separated by commas. */
    MAP_PMTILES_FILE: optionalText.transform((text) => configuredMaps(text ?? '')),
    /** Where the map opens and where `home` leads: latitude, longitude, zoom. */
    HOME_VIEW: optionalText
      .transform((text) => text ?? '46.9,8.2,7')
      .refine((text) => homeView(text) !== undefined, {
        error: 'must be LAT,LON,ZOOM in degrees and zoom levels, such as 46.9,8.2,7',
      }),
    /** Address of Lookout for operators; https makes the cookie Secure and turns HSTS on. */
    PUBLIC_URL: optionalUrl('the address where operators reach Lookout'),
    /** Whether subdomains of PUBLIC_URL's host are reached by https alone as well. */
    HSTS_SUBDOMAINS: oneOrNothing,
    /** Whether operators of the file have to sign in by passkey. */
    REQUIRE_PASSKEYS: oneOrNothing,
    HOST: optionalText.transform((text) => text ?? '127.0.0.1'),
    /** Checked by the start script. */
    PORT: optionalText.transform((text) => (text !== undefined && isPort(text) ? Number(text) : 3000)),
    /** Accepts that passwords and positions cross the network in the clear. */
    ALLOW_PLAIN_HTTP: oneOrNothing,
    /** The reverse proxies in front of Lookout, whose X-Forwarded-For is believed. */
    TRUSTED_PROXIES: optionalText
      .transform((text) => text?.split(/[\s,]+/) ?? [])
      .superRefine((entries, context) => {
        for (const entry of entries) {
          const problem = proxyProblem(entry);
          if (problem)
            context.addIssue({
              code: 'custom',
              message: `must be addresses, ranges or loopback, separated by commas: ${problem}`,
            });
        }
      }),
    /** At info, each request to the upstream is logged. */
    LOG_LEVEL: optionalText.refine((text) => text === undefined || logLevels.includes(text), {
      error: `must be one of ${logLevels.join(', ')}`,
    }),
  })
  .superRefine((settings, context) => {
    const refuse = (setting: string, message: string) => context.addIssue({ code: 'custom', path: [setting], message });
    const embedded = settings.POSITIONS_EMBEDDED !== undefined;
    const { POSITIONS_API_URL: url, POSITIONS_API_KEY: key, POSITIONS_API_KEY_FILE: keyFile } = settings;

    if (url === undefined) {
      refuse(
        'POSITIONS_API_URL',
        'is not set; npm start sets it to the embedded service, or give the upstream’s address',
      );
    } else if (URL.canParse(url)) {
      const { hostname, username, password, search, hash } = new URL(url);
      if (username || password || search || hash) {
        refuse('POSITIONS_API_URL', 'must be an address alone, without user, password, query or fragment');
      }
      if (!isLoopbackHost(hostname) && url.startsWith('http:')) {
        refuse('POSITIONS_API_URL', 'must start with https://, or the key would cross the network in the clear');
      }
      if (embedded && !isLoopbackHost(hostname)) {
        refuse('POSITIONS_EMBEDDED', 'is for the embedded service on loopback alone; do not set it');
      }
    }

    if (key !== undefined && keyFile !== undefined) {
      refuse('POSITIONS_API_KEY', 'and POSITIONS_API_KEY_FILE are both set; set one of them');
    } else if (key === undefined && keyFile === undefined) {
      refuse('POSITIONS_API_KEY', 'or POSITIONS_API_KEY_FILE is needed: the bearer key of the upstream account');
    }
    if (keyFile !== undefined) {
      const problem = unreadable(keyFile);
      if (problem) refuse('POSITIONS_API_KEY_FILE', problem);
    }

    const isTls = settings.PUBLIC_URL?.startsWith('https:') ?? false;
    if (!isLoopbackHost(settings.HOST) && !isTls && !settings.ALLOW_PLAIN_HTTP) {
      refuse(
        'HOST',
        `${settings.HOST} can be reached from other machines, and without TLS anybody on the way could read passwords, take over sessions and see positions; put a reverse proxy with TLS in front and set PUBLIC_URL to its https address, or accept that with ALLOW_PLAIN_HTTP=1`,
      );
    }
    if (settings.HSTS_SUBDOMAINS && !isTls) {
      refuse('HSTS_SUBDOMAINS', 'needs PUBLIC_URL with https://');
    }

    if (settings.REQUIRE_PASSKEYS) {
      if (settings.OPERATORS_FILE === undefined)
        refuse('REQUIRE_PASSKEYS', 'is for operators of the file and has no effect without OPERATORS_FILE');
      const { PUBLIC_URL: address } = settings;
      if (address === undefined || URL.canParse(address)) {
        const party = relyingParty(address && new URL(address).origin, settings.HOST, settings.PORT);
        if ('problem' in party) refuse('REQUIRE_PASSKEYS', `keeps everybody out here. ${party.problem}`);
      }
    }

    if (settings.METRICS_TOKEN_FILE !== undefined) {
      const problem = unreadable(settings.METRICS_TOKEN_FILE) ?? weakToken(settings.METRICS_TOKEN_FILE);
      if (problem) refuse('METRICS_TOKEN_FILE', problem);
    }
    for (const problem of configuredMapProblems(settings.MAP_PMTILES_FILE)) refuse('MAP_PMTILES_FILE', problem);

    for (const [setting, problem] of oidcProblems(settings)) refuse(setting, problem);

    if (settings.OPERATORS_FILE === undefined && settings.OIDC_ISSUER === undefined) {
      const make =
        'make a file of operators with: npm run operator -- add NAME, and set OPERATORS_FILE to it, or set OIDC_ISSUER';
      if (!embedded) refuse('OPERATORS_FILE', `is not set, and a real upstream needs people to sign in; ${make}`);
      else if (!isLoopbackHost(settings.HOST)) {
        refuse('OPERATORS_FILE', `is not set, and HOST=${settings.HOST} can be reached from other machines; ${make}`);
      }
    } else if (settings.OPERATORS_FILE !== undefined) {
      const problem = unreadable(settings.OPERATORS_FILE);
      if (problem) refuse('OPERATORS_FILE', problem);
    }
  });

interface OidcSettings {
  readonly OIDC_ISSUER?: string | undefined;
  readonly OIDC_CLIENT_ID?: string | undefined;
  readonly OIDC_CLIENT_SECRET_FILE?: string | undefined;
  /** `undefined` where what was written has been refused already. */
  readonly OIDC_ALLOW?: readonly unknown[] | undefined;
  readonly OIDC_ADMIN?: readonly unknown[] | undefined;
  readonly OIDC_VIEWER?: readonly unknown[] | undefined;
  readonly PUBLIC_URL?: string | undefined;
}

/** What is wrong with the settings of single sign-on, each with its setting. */
function oidcProblems(settings: OidcSettings): [keyof OidcSettings, string][] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_SECRET_FILE: secretFile } = settings;
  const problems: [keyof OidcSettings, string][] = [];
  if (issuer === undefined) {
    const names = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET_FILE', 'OIDC_ALLOW', 'OIDC_ADMIN', 'OIDC_VIEWER'] as const;
    for (const name of names) {
      if (settings[name]?.length)
        problems.push([name, 'is for single sign-on and has no effect without OIDC_ISSUER; set both or none']);
    }
    return problems;
  }
  if (!isIssuer(issuer))
    problems.push([
      'OIDC_ISSUER',
      'must be the issuer exactly as the provider names itself, starting with https:// and without user, query or fragment',
    ]);
  if (settings.OIDC_CLIENT_ID === undefined)
    problems.push(['OIDC_CLIENT_ID', 'is needed with OIDC_ISSUER: the name under which the provider knows Lookout']);
  if (secretFile === undefined)
    problems.push([
      'OIDC_CLIENT_SECRET_FILE',
      'is needed with OIDC_ISSUER: a file that contains only the client secret',
    ]);
  else {
    const problem = unreadable(secretFile);
    if (problem) problems.push(['OIDC_CLIENT_SECRET_FILE', problem]);
    else if (!isUsableKey(readFileSync(secretFile, 'utf8').trim()))
      problems.push([
        'OIDC_CLIENT_SECRET_FILE',
        `names ${secretFile}, which must contain the secret alone, without spaces`,
      ]);
  }
  if (settings.OIDC_ALLOW?.length === 0)
    problems.push([
      'OIDC_ALLOW',
      'is needed with OIDC_ISSUER: groups and addresses that may sign in, or * for everyone whom the provider knows',
    ]);
  if (settings.PUBLIC_URL === undefined)
    problems.push(['PUBLIC_URL', 'is needed with OIDC_ISSUER: the provider sends people back to it']);
  return problems;
}

/** An address by https, or of a provider on this machine. */
function isIssuer(text: string): boolean {
  if (!/^https?:\/\/[^\s?#]+$/.test(text) || !URL.canParse(text) || text.includes('/.well-known/')) return false;
  const { protocol, hostname, username, password } = new URL(text);
  return username === '' && password === '' && (protocol === 'https:' || isLoopbackHost(hostname));
}

function isPort(text: string): boolean {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535;
}

function weakToken(file: string): string | undefined {
  const token = readFileSync(file, 'utf8').trim();
  return isUsableKey(token) && token.length >= TOKEN_MIN_LENGTH
    ? undefined
    : `names ${file}, which must contain one token of ${TOKEN_MIN_LENGTH} characters or more; make one with: openssl rand -hex 32`;
}

export interface HomeView {
  readonly lat: number;
  readonly lon: number;
  readonly zoom: number;
}

function homeView(text: string): HomeView | undefined {
  const parts = text.split(',').map((part) => (/^\s*-?\d+(\.\d+)?\s*$/.test(part) ? Number(part) : Number.NaN));
  const [lat, lon, zoom] = parts as [number, number, number];
  const known = parts.length === 3 && Math.abs(lat) <= 90 && Math.abs(lon) <= 180 && zoom >= 0 && zoom <= 18;
  return known ? { lat, lon, zoom } : undefined;
}

function unreadable(file: string): string | undefined {
  try {
    readFileSync(file);
    return undefined;
  } catch (error) {
    return `names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`;
  }
}

export interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecretFile: string;
  readonly redirectUri: string;
  readonly groupsClaim: string;
  readonly policy: OidcPolicy;
}

export interface Config {
  readonly upstream: {
    /** Without a trailing slash. */
    readonly baseUrl: string;
    readonly embedded: boolean;
    readonly key: { readonly value: string } | { readonly file: string };
    readonly trackPrefix: string | undefined;
  };
  /** Whether people sign in, by the file of operators or at a provider; nobody does only over the embedded service, on loopback. */
  readonly hasSignIn: boolean;
  readonly operatorsFile: string | undefined;
  /** Single sign-on, if there is any. */
  readonly oidc: OidcConfig | undefined;
  /** Where passkeys can be used, and whether operators of the file have to. */
  readonly relyingParty: RelyingPartyResult;
  readonly requirePasskeys: boolean;
  readonly sessionSecret: string | undefined;
  readonly dataDir: string;
  readonly auditDays: number;
  readonly metrics: { readonly port: number | undefined; readonly tokenFile: string | undefined };
  readonly mapStyle: { readonly url: string; readonly origins: readonly string[] } | undefined;
  /** Maps of one's own region, checked at the start. */
  readonly maps: readonly ConfiguredMap[];
  readonly home: HomeView;
  /** Whether the map opens there whatever is received. */
  readonly hasSetHome: boolean;
  /** Where the service tells how its receivers stand, and where a map of what they receive opens. */
  readonly receiversSocket: string | undefined;
  /** True where operators use https. */
  readonly tls: boolean;
  readonly hstsSubdomains: boolean;
  /** True where other machines reach Lookout without TLS, which was chosen. */
  readonly plainHttp: boolean;
  readonly publicOrigin: string | undefined;
  /** Addresses, ranges, or `loopback`. */
  readonly trustedProxies: readonly string[];
  readonly logLevel: string;
}

export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  /** All problems, each naming its setting and what to write instead. */
  | { readonly ok: false; readonly problems: readonly string[] };

export function readConfig(environment: NodeJS.ProcessEnv): ConfigResult {
  const parsed = settingsSchema.safeParse(environment);
  if (!parsed.success) {
    return { ok: false, problems: parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`) };
  }
  const settings = parsed.data;
  const styleUrl = settings.MAP_STYLE_URL;
  const publicOrigin = settings.PUBLIC_URL === undefined ? undefined : new URL(settings.PUBLIC_URL).origin;
  return {
    ok: true,
    config: {
      upstream: {
        baseUrl: (settings.POSITIONS_API_URL as string).replace(/\/+$/, ''),
        embedded: settings.POSITIONS_EMBEDDED !== undefined,
        key:
          settings.POSITIONS_API_KEY_FILE === undefined
            ? { value: settings.POSITIONS_API_KEY as string }
            : { file: settings.POSITIONS_API_KEY_FILE },
        trackPrefix: settings.POSITIONS_TRACK_PREFIX,
      },
      hasSignIn: settings.OPERATORS_FILE !== undefined || settings.OIDC_ISSUER !== undefined,
      operatorsFile: settings.OPERATORS_FILE,
      oidc:
        settings.OIDC_ISSUER === undefined
          ? undefined
          : {
              issuer: settings.OIDC_ISSUER,
              clientId: settings.OIDC_CLIENT_ID as string,
              clientSecretFile: settings.OIDC_CLIENT_SECRET_FILE as string,
              redirectUri: `${publicOrigin}/sign-in/oidc/callback`,
              groupsClaim: settings.OIDC_GROUPS_CLAIM,
              policy: {
                admins: settings.OIDC_ADMIN,
                operators: settings.OIDC_ALLOW,
                viewers: settings.OIDC_VIEWER,
              },
            },
      relyingParty: relyingParty(publicOrigin, settings.HOST, settings.PORT),
      requirePasskeys: settings.REQUIRE_PASSKEYS,
      sessionSecret: settings.SESSION_SECRET,
      dataDir: settings.DATA_DIR,
      auditDays: settings.AUDIT_DAYS,
      metrics: {
        port: settings.METRICS_PORT === undefined ? undefined : Number(settings.METRICS_PORT),
        tokenFile: settings.METRICS_TOKEN_FILE,
      },
      mapStyle:
        styleUrl === undefined
          ? undefined
          : { url: styleUrl, origins: [new URL(styleUrl).origin, ...settings.MAP_STYLE_ORIGINS] },
      maps: settings.MAP_PMTILES_FILE,
      home: homeView(settings.HOME_VIEW) as HomeView,
      hasSetHome: Boolean(environment.HOME_VIEW?.trim()),
      receiversSocket: settings.POSITIONS_STATUS_SOCKET,
      tls: publicOrigin?.startsWith('https:') ?? false,
      plainHttp: settings.ALLOW_PLAIN_HTTP && !isLoopbackHost(settings.HOST),
      hstsSubdomains: settings.HSTS_SUBDOMAINS,
      publicOrigin,
      trustedProxies: settings.TRUSTED_PROXIES,
      logLevel: settings.LOG_LEVEL ?? (settings.POSITIONS_EMBEDDED === undefined ? 'info' : 'warn'),
    },
  };
}

/** Reads the configuration of this process. @throws Error that lists every problem */
export function loadConfig(): Config {
  const result = readConfig(process.env);
  if (!result.ok)
    throw new Error(`Lookout cannot start:\n${result.problems.map((problem) => `  ${problem}`).join('\n')}`);
  return result.config;
}
