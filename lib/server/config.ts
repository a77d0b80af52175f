import 'server-only';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type ConfiguredMap, configuredMapProblems, configuredMaps } from './maps/map-setting.ts';
import { isUsableKey } from './upstream/api-key.ts';

/** Hosts that only this machine can reach. */
const loopbackHosts: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '::1', '[::1]']);

export function isLoopbackHost(host: string): boolean {
  return loopbackHosts.has(host);
}

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

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'];

const settingsSchema = z
  .object({
    /** The upstream, with its version segment; if not set, the embedded service, which the start script provides. */
    POSITIONS_API_URL: optionalUrl('the address of the positions service with its version segment'),
    /** Set only by the start script, when it has started the embedded service itself: no sign-in is needed on loopback. */
    POSITIONS_EMBEDDED: optionalText,
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
    /** Directory for everything that must survive a restart. */
    DATA_DIR: optionalText.transform((text) => text ?? 'data'),
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
    HOST: optionalText.transform((text) => text ?? '127.0.0.1'),
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

    for (const problem of configuredMapProblems(settings.MAP_PMTILES_FILE)) refuse('MAP_PMTILES_FILE', problem);

    if (settings.OPERATORS_FILE === undefined) {
      const make = 'make a file of operators with: npm run operator -- add NAME, and set OPERATORS_FILE to it';
      if (!embedded) refuse('OPERATORS_FILE', `is not set, and a real upstream needs people to sign in; ${make}`);
      else if (!isLoopbackHost(settings.HOST)) {
        refuse('OPERATORS_FILE', `is not set, and HOST=${settings.HOST} can be reached from other machines; ${make}`);
      }
    } else {
      const problem = unreadable(settings.OPERATORS_FILE);
      if (problem) refuse('OPERATORS_FILE', problem);
    }
  });

interface HomeView {
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

export interface Config {
  readonly upstream: {
    /** Without a trailing slash. */
    readonly baseUrl: string;
    readonly embedded: boolean;
    readonly key: { readonly value: string } | { readonly file: string };
    readonly trackPrefix: string | undefined;
  };
  /** `undefined` where no sign-in is needed: the embedded service, on loopback. */
  readonly operatorsFile: string | undefined;
  readonly sessionSecret: string | undefined;
  readonly dataDir: string;
  readonly mapStyle: { readonly url: string; readonly origins: readonly string[] } | undefined;
  /** Maps of one's own region, checked at the start. */
  readonly maps: readonly ConfiguredMap[];
  readonly home: HomeView;
  /** True where operators use https. */
  readonly tls: boolean;
  readonly publicOrigin: string | undefined;
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
      operatorsFile: settings.OPERATORS_FILE,
      sessionSecret: settings.SESSION_SECRET,
      dataDir: settings.DATA_DIR,
      mapStyle:
        styleUrl === undefined
          ? undefined
          : { url: styleUrl, origins: [new URL(styleUrl).origin, ...settings.MAP_STYLE_ORIGINS] },
      maps: settings.MAP_PMTILES_FILE,
      home: homeView(settings.HOME_VIEW) as HomeView,
      tls: publicOrigin?.startsWith('https:') ?? false,
      publicOrigin,
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
