import 'server-only';
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
  /** `undefined`: the authorities that Node trusts. */
  readonly rootCertFile: string | undefined;
}

const DEFAULT_PORT = 5432;
const PARAMETERS = ['host', 'port', 'user', 'sslmode', 'sslrootcert'];
const FORM =
  'write postgres://USER@HOST:PORT/DATABASE, or postgres:///DATABASE?host=/run/postgresql&user=USER for a Unix socket';

/**
 * Without `sslmode`, connections that leave this machine use TLS.
 * @returns or a problem that follows the setting's name, without the address and its password
 */
export function readPostgresTarget(text: string, passwordFile: string | undefined): PostgresTarget | string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^postgres(ql)?:$/.test(url.protocol)) return `is no address of a PostgreSQL database: ${FORM}`;
  const parameters = url.searchParams;
  const unknown = [...parameters.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) return `has ${unknown}: only ${PARAMETERS.join(', ')} are known`;
  const host = url.hostname.replace(/^\[|\]$/g, '') || parameters.get('host');
  const user = decoded(url.username) || parameters.get('user');
  const database = decoded(url.pathname.slice(1));
  const password = decoded(url.password);
  const port = Number(url.port || (parameters.get('port') ?? DEFAULT_PORT));
  if (!host || !user || !database || database.includes('/') || password === undefined)
    return `lacks a host, a user or one database, or has a % that is not written as %25: ${FORM}`;
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return 'must have a port from 1 to 65535';
  if (password && passwordFile !== undefined) return 'has a password, and DATABASE_PASSWORD_FILE is set: keep one';
  const sslmode = parameters.get('sslmode') ?? (isOnThisMachine(host) ? 'disable' : 'verify-full');
  if (sslmode !== 'disable' && sslmode !== 'verify-full')
    return 'must have sslmode=verify-full, with sslrootcert=FILE for an authority of your own, or sslmode=disable';
  return {
    dialect: 'postgres',
    ...{ host, port, database, user },
    password: passwordFile !== undefined ? { file: passwordFile } : password ? { value: password } : undefined,
    tls: sslmode === 'verify-full',
    rootCertFile: parameters.get('sslrootcert') ?? undefined,
  };
}

export function targetText({ host, port, database }: PostgresTarget): string {
  return isAbsolute(host) ? `${host} (port ${port}), database ${database}` : `${host}:${port}/${database}`;
}

function isOnThisMachine(host: string): boolean {
  return isAbsolute(host) || host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
