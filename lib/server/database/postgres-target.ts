import 'server-only';
import { isIPv6 } from 'node:net';
import { userInfo } from 'node:os';
import { isAbsolute } from 'node:path';

export interface PostgresTarget {
  readonly dialect: 'postgres';
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** The file is read for each connection. */
  readonly password: { readonly value: string } | { readonly file: string } | undefined;
  readonly tls: boolean;
  /** The file of authorities; `undefined`: those that Node trusts. */
  readonly rootCertFile: string | undefined;
}

const DEFAULT_PORT = 5432;
const PARAMETERS = ['host', 'port', 'user', 'password', 'dbname', 'sslmode', 'sslrootcert'];
/** Parameters of libpq that have another remedy. */
const REMEDIES: Readonly<Record<string, string>> = {
  hostaddr: 'write the address as host',
  target_session_attrs: 'name one address, which moves to the new primary',
  passfile: 'write the password alone to a file, and set DATABASE_PASSWORD_FILE',
};
const FORM =
  'write postgres://USER@HOST:PORT/DATABASE, or postgres:///DATABASE?host=/run/postgresql&user=USER for a Unix socket';
const SEVERAL = 'names several hosts: name one address, which moves to the new primary';
/** The parts of an address after its scheme. A password may contain @, but not / or ?. */
const PARTS =
  /^(?:(?<user>[^:/?]*)(?::(?<password>[^/?]*))?@)?(?<host>\[[^\]]*\]|[^:/?@]*)(?::(?<port>\d*))?(?:\/(?<database>[^?]*))?(?:\?(?<query>.*))?$/s;
const SOCKET_FILE = /^(?<folder>.+)\/\.s\.PGSQL\.(?<port>\d+)$/;
/** The length of `sun_path` in Linux, without its final zero. */
const SOCKET_MAX_BYTES = 107;

/**
 * Reads an address as libpq does: parameters count before the parts of the address, and a host that begins with `%2F`
 * is the folder of a socket. The user of a socket is by default the one that this process runs as. Without `sslmode`,
 * connections that leave this machine use TLS.
 * @returns or a problem that follows the setting's name, without the address and its password
 */
export function readPostgresTarget(text: string, passwordFile: string | undefined): PostgresTarget | string {
  const [, address] = /^postgres(?:ql)?:\/\/(.*)$/is.exec(text) ?? [];
  if (address === undefined) return `is no address of a PostgreSQL database: ${FORM}`;
  const [authority = ''] = address.split(/[/?]/, 1);
  if (authority.slice(authority.lastIndexOf('@') + 1).includes(',')) return SEVERAL;
  const parts = PARTS.exec(address)?.groups;
  if (!parts) return `has a part that cannot be read: ${FORM}. Encode / and ? in a password as %2F and %3F`;
  const [user, password, addressHost, database] = [parts.user, parts.password, parts.host, parts.database].map(decoded);
  if ([user, password, addressHost, database].includes(undefined)) return 'has a % that is not written as %25';
  const parameters = readParameters(parts.query ?? '');
  if (typeof parameters === 'string') return parameters;
  const host = readHost(parameters.host || addressHost?.replace(/^\[|\]$/g, '') || '');
  if (typeof host === 'string') return host;
  const isSocket = isAbsolute(host.name);
  const port = Number(parameters.port || parts.port || (host.port ?? DEFAULT_PORT));
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return 'must have one port from 1 to 65535';
  if (isSocket && Buffer.byteLength(`${host.name}/.s.PGSQL.${port}`) > SOCKET_MAX_BYTES)
    return `names a socket with a path of more than ${SOCKET_MAX_BYTES} bytes: let unix_socket_directories name a shorter folder`;
  const target = {
    host: host.name,
    port,
    user: parameters.user || user || (isSocket ? systemUser() : ''),
    database: parameters.dbname || database || '',
  };
  if (target.user === '') return `lacks a user: ${FORM}`;
  if (target.database === '' || target.database.includes('/')) return `does not name one database: ${FORM}`;
  const given = parameters.password || password;
  if (given && passwordFile !== undefined) return 'has a password, and DATABASE_PASSWORD_FILE is set: keep one';
  const { sslmode = isOnThisMachine(host.name) ? 'disable' : 'verify-full', sslrootcert } = parameters;
  if (!isSocket && sslmode !== 'disable' && sslmode !== 'verify-full')
    return 'must have sslmode=verify-full, with sslrootcert=FILE for an authority of your own, or sslmode=disable';
  return {
    dialect: 'postgres',
    ...target,
    password: passwordFile !== undefined ? { file: passwordFile } : given ? { value: given } : undefined,
    // PostgreSQL offers no TLS on sockets.
    tls: !isSocket && sslmode === 'verify-full',
    rootCertFile: sslrootcert === 'system' ? undefined : sslrootcert,
  };
}

/** Names the database in messages to administrators, without user and password. */
export function postgresName({ host, port, database }: PostgresTarget): string {
  const place = isAbsolute(host) ? `${host} (port ${port}), database ${database}` : `${host}:${port}/${database}`;
  return `PostgreSQL at ${place}`;
}

/** @returns or a problem */
function readParameters(query: string): Readonly<Record<string, string | undefined>> | string {
  const read: Record<string, string> = {};
  for (const pair of query.split('&').filter((text) => text !== '')) {
    const [name = '', value] = (/^([^=]*)=?(.*)$/s.exec(pair) ?? []).slice(1).map(decoded);
    if (value === undefined) return 'has a % that is not written as %25';
    // Another name may be a part of a password.
    const shown = /^[a-z_]+$/.test(name) ? name : 'a parameter';
    if (Object.hasOwn(REMEDIES, name)) return `has ${name}: ${REMEDIES[name]}`;
    if (!PARAMETERS.includes(name)) return `has ${shown} after the ?: only ${PARAMETERS.join(', ')} are known`;
    if (Object.hasOwn(read, name)) return `has ${name} twice: keep one`;
    read[name] = value;
  }
  return read;
}

/** @returns or a problem */
function readHost(text: string): { readonly name: string; readonly port: string | undefined } | string {
  if (text === '') return `lacks a host: ${FORM}`;
  if (text.includes(',')) return SEVERAL;
  if (text.startsWith('@'))
    return 'names an abstract socket: let unix_socket_directories name a folder, and write host=FOLDER';
  const { folder, port } = SOCKET_FILE.exec(text)?.groups ?? {};
  const name = (folder ?? text).replace(/(?<=.)\/+$/, '');
  if (isAbsolute(name)) return { name, port };
  if (name.includes('/')) return 'names the folder of a socket, which must begin with /, as in host=/run/postgresql';
  return /[\s:]/.test(name) && !isIPv6(name) ? `names a host that cannot be read: ${FORM}` : { name, port: undefined };
}

function isOnThisMachine(host: string): boolean {
  return isAbsolute(host) || host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a number without a name.
    return '';
  }
}

function decoded(text = ''): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
