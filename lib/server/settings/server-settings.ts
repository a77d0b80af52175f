// Settings of a server: the upstream of its positions, the maps below them, its database and folder, what it keeps and
// reports, and its place among several.
import 'server-only';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import { commandText } from '#lib/commands/command-text.ts';
import { isReferencePrefix } from '#lib/contract/public-reference.ts';
import { HOME_ZOOM, isZoomIn } from '#lib/geo/zoom-limits.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { DatabaseTarget } from '../database/open-database.ts';
import { readPostgresTarget } from '../database/postgres-target.ts';
import { DATABASE_FILE } from '../database/sqlite-file.ts';
import { type ConfiguredMap, configuredMapProblems, configuredMaps } from '../maps/map-setting.ts';
import { isLoopbackHost } from '../sign-in/relying-party.ts';
import { isUsableKey } from '../upstream/api-key.ts';
import type { HomeView } from '../upstream/receivers-reader.ts';
import type { NetworkSettings } from './access-settings.ts';
import { isPort, optionalText, optionalUrl, type SettingProblem, textList, unreadable } from './setting-forms.ts';

export const upstreamSettings = z.object({
  /** Address of the upstream, with its version segment; default: the embedded service. */
  POSITIONS_API_URL: optionalUrl('the address of the positions service with its version segment'),
  /** Set only by the start script, when it has started the embedded service itself: no sign-in is needed on loopback. `recording`: it plays one. */
  POSITIONS_EMBEDDED: optionalText,
  /** `none`: set only by the start script, over the service that it has started without an allowance. */
  POSITIONS_ALLOWANCE: optionalText,
  /** Status socket of a separate service with receivers on this machine (`receivers.md`). */
  RECEIVERS_SOCKET: optionalText.refine((path) => path === undefined || isAbsolute(path), {
    error: 'must be the whole path of the socket, for example /var/lib/positions/status.sock',
  }),
  /** API key of the upstream account. It needs the scopes `adsb.live`, `rid.live`, `adsb.history` and `rid.history`; a layer without its scope is missing. */
  POSITIONS_API_KEY: optionalText.refine((key) => key === undefined || isUsableKey(key), {
    error: 'must be printable ASCII without spaces, exactly as the upstream showed it',
  }),
  /** File with the API key; read again when it changes. */
  POSITIONS_API_KEY_FILE: optionalText,
  /** Prefix of the track references of the upstream; default: any prefix. */
  POSITIONS_TRACK_PREFIX: optionalText.refine((prefix) => prefix === undefined || isReferencePrefix(prefix), {
    error: 'must be 1 to 32 letters, digits, `_`, `.` or `-`, and not begin with `-`',
  }),
});

type UpstreamSettings = z.infer<typeof upstreamSettings>;

export interface UpstreamConfig {
  readonly upstream: {
    /** The address of the upstream, without a trailing slash. */
    readonly baseUrl: string;
    readonly embedded: boolean;
    readonly isRecording: boolean;
    readonly hasAllowance: boolean;
    readonly key: { readonly value: string } | { readonly file: string };
    readonly trackPrefix: string | undefined;
  };
  readonly receiversSocket: string | undefined;
}

export function* upstreamProblems(settings: UpstreamSettings): Generator<SettingProblem<UpstreamSettings>> {
  const { POSITIONS_API_URL: url, POSITIONS_API_KEY: key, POSITIONS_API_KEY_FILE: keyFile } = settings;
  if (url === undefined) {
    yield [
      'POSITIONS_API_URL',
      `is not set; ${commandText('lookout')} sets it to the embedded service, or give the upstream’s address`,
    ];
  } else if (URL.canParse(url)) {
    const { hostname, username, password, search, hash } = new URL(url);
    if (username || password || search || hash) {
      yield ['POSITIONS_API_URL', 'must be an address alone, without user, password, query or fragment'];
    }
    if (!isLoopbackHost(hostname) && url.startsWith('http:')) {
      yield ['POSITIONS_API_URL', 'must start with https://, or the key would cross the network in the clear'];
    }
    if (settings.POSITIONS_EMBEDDED !== undefined && !isLoopbackHost(hostname)) {
      yield ['POSITIONS_EMBEDDED', 'is for the embedded service on loopback alone; do not set it'];
    }
  }
  const { POSITIONS_ALLOWANCE: allowance, POSITIONS_EMBEDDED: embedded } = settings;
  if (allowance !== undefined && (allowance !== 'none' || embedded === undefined)) {
    yield ['POSITIONS_ALLOWANCE', 'is for the embedded service alone; do not set it'];
  }
  if (key !== undefined && keyFile !== undefined) {
    yield ['POSITIONS_API_KEY', 'and POSITIONS_API_KEY_FILE are both set; set one of them'];
  } else if (key === undefined && keyFile === undefined) {
    yield ['POSITIONS_API_KEY', 'or POSITIONS_API_KEY_FILE is needed: the bearer key of the upstream account'];
  }
  if (keyFile !== undefined) {
    const problem = unreadable(keyFile);
    if (problem) yield ['POSITIONS_API_KEY_FILE', problem];
  }
}

export function upstreamConfig(settings: UpstreamSettings): UpstreamConfig {
  return {
    upstream: {
      baseUrl: (settings.POSITIONS_API_URL as string).replace(/\/+$/, ''),
      embedded: settings.POSITIONS_EMBEDDED !== undefined,
      isRecording: settings.POSITIONS_EMBEDDED === 'recording',
      hasAllowance: settings.POSITIONS_ALLOWANCE === undefined,
      key:
        settings.POSITIONS_API_KEY_FILE === undefined
          ? { value: settings.POSITIONS_API_KEY as string }
          : { file: settings.POSITIONS_API_KEY_FILE },
      trackPrefix: settings.POSITIONS_TRACK_PREFIX,
    },
    receiversSocket: settings.RECEIVERS_SOCKET,
  };
}

const MAP_SOURCE_DEFAULT = 'https://build.protomaps.com/YYYYMMDD.pmtiles';
const HOME_DEFAULT = '46.9,8.2,7';

export const mapSettings = z.object({
  /** MapLibre style that replaces the built-in basemap. */
  MAP_STYLE_URL: optionalUrl('the address of a MapLibre style'),
  /** Other origins of its tiles, sprites and glyphs, separated by commas. */
  MAP_STYLE_ORIGINS: textList.refine((origins) => origins.every((origin) => /^https?:\/\/[^/\s;]+$/.test(origin)), {
    error: 'must be origins such as https://tiles.example, separated by commas',
  }),
  /** PMTiles maps on disk, in addition to `DATA_DIR/maps`: `FILE` or `NAME=FILE`, separated by commas (`maps.md`). */
  MAP_PMTILES_FILE: optionalText.transform((text) => configuredMaps(text ?? '')),
  /** Where admins fetch a street map from: a Protomaps archive at a web address, with `YYYYMMDD` for the newest day, or `off`; default: `https://build.protomaps.com/YYYYMMDD.pmtiles`. */
  MAP_SOURCE_URL: optionalText.refine((text) => text === undefined || text === 'off' || isSource(text), {
    error: `must be the address of a PMTiles archive, such as ${MAP_SOURCE_DEFAULT}, or off`,
  }),
  /** Where the map opens: latitude, longitude, zoom; default: `46.9,8.2,7`, or the area of own receivers. */
  HOME_VIEW: optionalText.refine((text) => homeView(text ?? HOME_DEFAULT) !== undefined, {
    error: 'must be LAT,LON,ZOOM in degrees and zoom levels, such as 46.9,8.2,7',
  }),
});

function isSource(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '';
}

type MapSettings = z.infer<typeof mapSettings>;

export interface MapConfig {
  readonly mapStyle: { readonly url: string; readonly origins: readonly string[] } | undefined;
  readonly maps: readonly ConfiguredMap[];
  /** `undefined`: no street map can be fetched. */
  readonly mapSource: string | undefined;
  readonly home: HomeView;
  /** False: the view may follow what is received. */
  readonly hasSetHome: boolean;
}

export function* mapProblems({ MAP_PMTILES_FILE: maps }: MapSettings): Generator<SettingProblem<MapSettings>> {
  for (const problem of configuredMapProblems(maps)) yield ['MAP_PMTILES_FILE', problem];
}

export function mapConfig({
  MAP_STYLE_URL: styleUrl,
  MAP_STYLE_ORIGINS: origins,
  MAP_PMTILES_FILE: maps,
  MAP_SOURCE_URL: source,
  HOME_VIEW: home,
}: MapSettings): MapConfig {
  return {
    mapStyle: styleUrl === undefined ? undefined : { url: styleUrl, origins: [new URL(styleUrl).origin, ...origins] },
    maps,
    mapSource: source === 'off' ? undefined : (source ?? MAP_SOURCE_DEFAULT),
    home: homeView(home ?? HOME_DEFAULT) as HomeView,
    hasSetHome: home !== undefined,
  };
}

function homeView(text: string): HomeView | undefined {
  const parts = text.split(',').map((part) => (/^\s*-?\d+(\.\d+)?\s*$/.test(part) ? Number(part) : Number.NaN));
  const [lat, lon, zoom] = parts as [number, number, number];
  const known = parts.length === 3 && Math.abs(lat) <= 90 && Math.abs(lon) <= 180 && isZoomIn(HOME_ZOOM, zoom);
  return known ? { lat, lon, zoom } : undefined;
}

const TOKEN_MIN_LENGTH = 32;
const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'];

function days(byDefault: string) {
  return optionalText
    .transform((text) => text ?? byDefault)
    .refine((text) => /^[1-9]\d{0,3}$/.test(text), { error: 'must be a whole number of days from 1 to 9999' })
    .transform(Number);
}

export const operationSettings = z.object({
  /** Folder for data that survives a restart: `lookout.sqlite`, the ledger, cached history. */
  DATA_DIR: optionalText.transform((text) => text ?? 'data'),
  /** Days until audit entries are deleted. */
  AUDIT_DAYS: days('365'),
  /** Days until alarms that have ended, when zones were watched, and when operators had pages open are deleted. */
  ALARM_DAYS: days('365'),
  /**
   * Port of 127.0.0.1 that serves `/metrics` without a token; default: none. `+6000` is PORT plus 6000, a port for each of
   * several servers with the same settings.
   */
  METRICS_PORT: optionalText,
  /** File with a token of 32 characters or more for `/metrics` at Lookout's own address. */
  METRICS_TOKEN_FILE: optionalText,
  /** `debug`, `info`, `warn`, `error` or `silent`; default: `info`, with the embedded service `warn`. */
  LOG_LEVEL: optionalText.refine((text) => text === undefined || LOG_LEVELS.includes(text), {
    error: `must be one of ${LOG_LEVELS.join(', ')}`,
  }),
});

type OperationSettings = z.infer<typeof operationSettings>;
type MetricsSettings = Pick<OperationSettings, 'METRICS_PORT'> & Pick<NetworkSettings, 'PORT'>;

export interface OperationConfig {
  readonly dataDir: string;
  readonly auditDays: number;
  readonly alarmDays: number;
  readonly metrics: { readonly port: number | undefined; readonly tokenFile: string | undefined };
  readonly logLevel: string;
}

export function* operationProblems(
  settings: OperationSettings & MetricsSettings,
): Generator<SettingProblem<OperationSettings>> {
  const { METRICS_TOKEN_FILE: file, METRICS_PORT: text, PORT } = settings;
  const port = metricsPort(settings);
  if (text !== undefined && port === undefined)
    yield ['METRICS_PORT', 'must be a port from 1 to 65535, or + and a number to add to PORT, such as +6000'];
  if (port === PORT) yield ['METRICS_PORT', 'is the same as PORT; choose another one'];
  if (file === undefined) return;
  const problem = unreadable(file) ?? weakToken(file);
  if (problem) yield ['METRICS_TOKEN_FILE', problem];
}

/** @returns undefined for none, and for no port */
function metricsPort({ METRICS_PORT: text = '', PORT }: MetricsSettings): number | undefined {
  const port = /^\+[1-9]\d*$/.test(text) ? String(PORT + Number(text)) : text;
  return isPort(port) ? Number(port) : undefined;
}

function weakToken(file: string): string | undefined {
  const token = readFileSync(file, 'utf8').trim();
  return isUsableKey(token) && token.length >= TOKEN_MIN_LENGTH
    ? undefined
    : `names ${file}, which must contain one token of ${TOKEN_MIN_LENGTH} characters or more; make one with: openssl rand -hex 32`;
}

export function operationConfig(
  settings: OperationSettings & MetricsSettings & { readonly POSITIONS_EMBEDDED?: string | undefined },
): OperationConfig {
  return {
    dataDir: settings.DATA_DIR,
    auditDays: settings.AUDIT_DAYS,
    alarmDays: settings.ALARM_DAYS,
    metrics: {
      port: metricsPort(settings),
      tokenFile: settings.METRICS_TOKEN_FILE,
    },
    logLevel: settings.LOG_LEVEL ?? (settings.POSITIONS_EMBEDDED === undefined ? 'info' : 'warn'),
  };
}

export const databaseSettings = z.object({
  /**
   * PostgreSQL 15 or newer that several servers share: `postgres://USER@HOST:PORT/DATABASE`, or for the folder of a Unix
   * socket `postgres:///DATABASE?host=/run/postgresql&user=USER`, with the system user by default. Connections to other
   * machines use TLS: `?sslrootcert=FILE` names an authority, `?sslmode=disable` turns TLS off. One host; no passfile.
   * Default: SQLite in `DATA_DIR`.
   */
  DATABASE_URL: optionalText,
  /** File with its password; read at each connection. */
  DATABASE_PASSWORD_FILE: optionalText,
});

type DatabaseSettings = z.infer<typeof databaseSettings>;

export interface DatabaseConfig {
  readonly database: DatabaseTarget;
}

export function* databaseProblems({
  DATABASE_URL: url,
  DATABASE_PASSWORD_FILE: passwordFile,
}: DatabaseSettings): Generator<SettingProblem<DatabaseSettings>> {
  if (url === undefined) {
    if (passwordFile !== undefined)
      yield ['DATABASE_PASSWORD_FILE', 'has no effect without DATABASE_URL; set both or none'];
    return;
  }
  const target = readPostgresTarget(url, passwordFile);
  if (typeof target === 'string') yield ['DATABASE_URL', target];
  const problem = passwordFile === undefined ? undefined : unreadable(passwordFile);
  if (problem) yield ['DATABASE_PASSWORD_FILE', problem];
}

export function databaseConfig(settings: DatabaseSettings & { readonly DATA_DIR: string }): DatabaseConfig {
  const { DATABASE_URL: url, DATABASE_PASSWORD_FILE: passwordFile, DATA_DIR: dataDir } = settings;
  const target = url === undefined ? undefined : readPostgresTarget(url, passwordFile);
  return {
    database: typeof target === 'object' ? target : { dialect: 'sqlite', file: join(resolve(dataDir), DATABASE_FILE) },
  };
}

/** Longer than load balancers wait between two requests to /readyz. */
const DRAIN_S = 5;

export const serversSettings = z.object({
  /** Name of this server in the Allowance panel; default: host and port. */
  SERVER_NAME: optionalText.refine((text) => text === undefined || /^[\w.:-]{1,64}$/.test(text), {
    error: 'must be 1 to 64 letters, digits, dots, colons, underscores or hyphens',
  }),
  /** Seconds of answers after SIGTERM while `/readyz` reports `leaving`; default: 0, with `DATABASE_URL` 5. */
  DRAIN_SECONDS: optionalText.refine((text) => text === undefined || (/^\d{1,3}$/.test(text) && Number(text) <= 300), {
    error: 'must be a whole number of seconds from 0 to 300',
  }),
});

type ServersSettings = z.infer<typeof serversSettings> &
  Pick<NetworkSettings, 'PORT'> & { readonly DATABASE_URL?: string | undefined };

export interface ServersConfig {
  readonly serverName: string;
  readonly drainMs: number;
}

export function serversConfig(settings: ServersSettings): ServersConfig {
  const drainS = settings.DATABASE_URL === undefined ? 0 : DRAIN_S;
  return {
    serverName: settings.SERVER_NAME ?? `${hostname().slice(0, 48)}:${settings.PORT}`,
    drainMs: Number(settings.DRAIN_SECONDS ?? drainS) * SECOND_MS,
  };
}
