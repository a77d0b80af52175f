import { isAbsolute } from 'node:path';

/** Where a PostgreSQL database is, and as whom it is opened. The password comes from PGPASSFILE or ~/.pgpass. */
export interface PostgresTarget {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  /** Undefined: PGUSER, or the user of this machine. */
  readonly user: string | undefined;
  /** `verify`: the server's certificate must be of its name, and of `rootCertFile` or an authority that Node knows. */
  readonly tls: 'off' | 'verify';
  readonly rootCertFile: string | undefined;
}

const DEFAULT_PORT = 5432;
const PARAMETERS = ['host', 'port', 'user', 'sslmode', 'sslrootcert'];

/**
 * Reads `postgres://USER@HOST:PORT/DATABASE`, or `postgres:///DATABASE?host=FOLDER&port=PORT` for a Unix socket. Without `sslmode` a connection that
 * leaves this machine is encrypted, and the server has to prove its name.
 * @throws Error that says what to write instead
 */
export function readPostgresTarget(text: string): PostgresTarget {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new Error('write postgres://USER@HOST:PORT/DATABASE, or postgres:///DATABASE?host=/run/postgresql');
  }
  if (url.password !== '') {
    throw new Error(
      'leave the password out, as others on this machine can read it there: write it to ~/.pgpass, or to a file that PGPASSFILE names',
    );
  }
  const given = url.searchParams;
  const unknown = [...given.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) throw new Error(`leave ${unknown} out: only ${PARAMETERS.join(', ')} are known`);

  const host = url.hostname === '' ? given.get('host') : url.hostname.replace(/^\[|\]$/g, '');
  if (host === null || host === '') throw new Error('name a host, or the folder of a Unix socket as ?host=FOLDER');
  const database = decoded(url.pathname.slice(1));
  if (!/^[^/\0]+$/.test(database)) throw new Error('name one database: postgres://USER@HOST/DATABASE');
  const port = Number(url.port || (given.get('port') ?? DEFAULT_PORT));
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error('write a port from 1 to 65535');
  const sslmode = given.get('sslmode') ?? (isOnThisMachine(host) ? 'disable' : 'verify-full');
  if (sslmode !== 'disable' && sslmode !== 'verify-full') {
    throw new Error(
      'write sslmode=verify-full, with sslrootcert=FILE for an authority of your own, or sslmode=disable',
    );
  }
  return {
    host,
    port,
    database,
    user: decoded(url.username) || (given.get('user') ?? undefined),
    tls: sslmode === 'disable' ? 'off' : 'verify',
    rootCertFile: given.get('sslrootcert') ?? undefined,
  };
}

/** For messages: `HOST:PORT/DATABASE`. */
export function targetText({ host, port, database }: PostgresTarget): string {
  return isAbsolute(host) ? `${host} (port ${port}), database ${database}` : `${host}:${port}/${database}`;
}

function isOnThisMachine(host: string): boolean {
  return isAbsolute(host) || host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('write % in names as %25');
  }
}
