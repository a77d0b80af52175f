import 'server-only';
import { readFileSync } from 'node:fs';

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
}

/** Where the shared store is, and as whom it is opened. */
export interface RedisTarget {
  /** One server, or a group whose primary the Sentinels name. */
  readonly at: RedisAddress | { readonly group: string; readonly sentinels: readonly RedisAddress[] };
  readonly user: string | undefined;
  /** A file is read at each connection, so that a password is changed without a restart. */
  readonly password: { readonly value: string } | { readonly file: string } | undefined;
  readonly database: number;
  /** Servers and Sentinels prove their names by certificates that Node trusts. */
  readonly tls: boolean;
}

export interface RedisSettings {
  /** `redis://USER:PASSWORD@HOST:PORT/DATABASE`, or `rediss://` with TLS; with Sentinels the host is the name of the group. */
  readonly REDIS_URL?: string | undefined;
  /** `HOST:PORT`, separated by commas. */
  readonly REDIS_SENTINELS?: string | undefined;
  /** A file that contains only the password. */
  readonly REDIS_PASSWORD_FILE?: string | undefined;
}

export type RedisTargetResult =
  | { readonly target: RedisTarget | undefined }
  /** Each setting that is wrong, and what to write instead. */
  | { readonly problems: readonly (readonly [setting: keyof RedisSettings, problem: string])[] };

const REDIS_PORT = 6379;
const SENTINEL_PORT = 26_379;
const MAX_DATABASE = 15;
/** A vote of fewer is none. */
const MIN_SENTINELS = 3;
const FORM = 'write redis://USER@HOST:PORT/DATABASE, or rediss:// with TLS';

/** Never repeats what was written: a password may be in it. Reads the password file once, to see that it can be. */
export function readRedisTarget(settings: RedisSettings): RedisTargetResult {
  const { REDIS_URL: urlText, REDIS_SENTINELS: sentinelText, REDIS_PASSWORD_FILE: passwordFile } = settings;
  const problems: [keyof RedisSettings, string][] = [];
  if (urlText === undefined) {
    for (const setting of ['REDIS_SENTINELS', 'REDIS_PASSWORD_FILE'] as const) {
      if (settings[setting] !== undefined)
        problems.push([setting, 'has no effect without REDIS_URL; set both or none']);
    }
    return problems.length > 0 ? { problems } : { target: undefined };
  }
  const url = URL.canParse(urlText) ? new URL(urlText) : undefined;
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || url.hostname === '') {
    return { problems: [['REDIS_URL', `is no address of a Redis or Valkey: ${FORM}`]] };
  }
  if (url.search !== '' || url.hash !== '') problems.push(['REDIS_URL', `has a query or fragment: ${FORM}`]);

  const database = url.pathname === '' || url.pathname === '/' ? 0 : databaseOf(url.pathname.slice(1));
  if (database === undefined)
    problems.push(['REDIS_URL', `must end with the number of a database from 0 to ${MAX_DATABASE}, or without one`]);

  const [user, written] = [decoded(url.username), decoded(url.password)];
  if (user === undefined || written === undefined)
    problems.push(['REDIS_URL', 'has a % that begins no code: write % in user and password as %25']);
  if (written && passwordFile !== undefined)
    problems.push(['REDIS_PASSWORD_FILE', 'and a password in REDIS_URL are both set; keep one of them']);
  if (user && !written && passwordFile === undefined)
    problems.push(['REDIS_URL', 'names a user without a password; write it to a file and set REDIS_PASSWORD_FILE']);
  const filed = passwordFile === undefined ? undefined : filedPasswordProblem(passwordFile);
  if (filed !== undefined) problems.push(['REDIS_PASSWORD_FILE', filed]);

  let at: RedisTarget['at'] = { host: hostOf(url), port: Number(url.port || REDIS_PORT) };
  if (sentinelText !== undefined) {
    const sentinels = sentinelText.split(/[\s,]+/).map(sentinelAddress);
    const known = sentinels.filter((each) => each !== undefined);
    if (known.length < sentinels.length)
      problems.push(['REDIS_SENTINELS', 'must be addresses such as sentinel-1.example:26379, separated by commas']);
    else if (new Set(known.map(addressText)).size < MIN_SENTINELS)
      problems.push([
        'REDIS_SENTINELS',
        `must name all Sentinels, at least ${MIN_SENTINELS}: most of them have to agree`,
      ]);
    if (url.port !== '')
      problems.push([
        'REDIS_URL',
        'names a port; with REDIS_SENTINELS its host is the name of the group that they watch, such as redis://mymaster',
      ]);
    at = { group: url.hostname, sentinels: known };
  }
  if (problems.length > 0) return { problems };
  const value = written ? { value: written } : undefined;
  return {
    target: {
      at,
      user: user || undefined,
      password: passwordFile === undefined ? value : { file: passwordFile },
      database: database as number,
      tls: url.protocol === 'rediss:',
    },
  };
}

/** For logs and messages; never with user or password. */
export function targetText({ at, database }: RedisTarget): string {
  const where =
    'group' in at ? `${at.group} of Sentinels ${at.sentinels.map(addressText).join(', ')}` : addressText(at);
  return `${where}, database ${database}`;
}

export function addressText({ host, port }: RedisAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** @throws Error if its file cannot be read */
export function currentPassword({ password }: RedisTarget): string | undefined {
  if (password === undefined) return undefined;
  return 'value' in password ? password.value : readFileSync(password.file, 'utf8').trim();
}

function databaseOf(text: string): number | undefined {
  return /^\d{1,2}$/.test(text) && Number(text) <= MAX_DATABASE ? Number(text) : undefined;
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function sentinelAddress(text: string): RedisAddress | undefined {
  const url = URL.canParse(`redis://${text}`) ? new URL(`redis://${text}`) : undefined;
  if (url === undefined || url.host !== text || url.hostname === '') return undefined;
  return { host: hostOf(url), port: Number(url.port || SENTINEL_PORT) };
}

function filedPasswordProblem(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() === ''
      ? `names ${file}, which must contain the password alone`
      : undefined;
  } catch (error) {
    return `names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`;
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
