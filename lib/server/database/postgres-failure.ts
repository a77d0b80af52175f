import 'server-only';
import { DatabaseFailure, type DatabaseProblem, misfitText } from './database-failure.ts';
import { NoticesUnheard } from './postgres-notices.ts';
import { type PostgresTarget, targetText } from './postgres-target.ts';

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ENOTDIR',
  'EACCES',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
]);
/** Messages of the driver that have no code. */
const ENDED = /timeout exceeded|connection timeout|Connection terminated|not queryable|connection ended/i;
const UNTRUSTED = /^(CERT_|.*_CERT_|DEPTH_ZERO|UNABLE_TO_|ERR_TLS_|.*SELF_SIGNED)/;

/** Returns other errors unchanged. */
export function postgresFailure(error: unknown, target: PostgresTarget): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseFailure) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const message = error.message || code;
  const where = `PostgreSQL at ${targetText(target)}`;
  const failure = (kind: DatabaseProblem, text: string) => new DatabaseFailure(kind, text, error);

  if (error instanceof NoticesUnheard || /statement pooling/.test(message))
    return failure(
      'denied',
      `${where} does not deliver notices (LISTEN): a pooler in transaction or statement mode answers for it. Use a pool in session mode, or connect to PostgreSQL directly.`,
    );
  if (code === '08P01' && /startup parameter|no such|authentication failed/.test(message))
    return failure('denied', `${where} is behind a pooler that refuses the connection: ${message}.`);
  if (/Query read timeout/.test(message))
    return failure(
      'lost',
      `${where} does not answer in time: look at its load and its locks, or give the pooler before it 11 connections for each server.`,
    );
  if (UNREACHABLE.has(code) || ENDED.test(message) || /^(08...|57P0[1-5])$/.test(code))
    return failure('lost', `${where} cannot be reached: ${message}. Start it, or correct DATABASE_URL.`);
  if (/^SASL|password must be a string/.test(message))
    return failure('denied', `${where} asks for a password: write it to a file, and set DATABASE_PASSWORD_FILE.`);
  if (UNTRUSTED.test(code))
    return failure(
      'denied',
      `${where} shows a certificate that is not trusted: ${message}. Add sslrootcert=FILE of its authority to DATABASE_URL, and use the name that it is made out to.`,
    );
  if (/does not support SSL/.test(message))
    return failure(
      'denied',
      `${where} speaks no TLS: turn ssl on there, or add sslmode=disable to DATABASE_URL in a network that is yours alone.`,
    );
  return knownCode(code, message, where, target, failure) ?? error;
}

function knownCode(
  code: string,
  message: string,
  where: string,
  { user, database }: PostgresTarget,
  failure: (kind: DatabaseProblem, text: string) => DatabaseFailure,
): DatabaseFailure | undefined {
  switch (code) {
    case '53300':
      return failure('lost', `${where} has no connection left: raise max_connections, or run fewer servers.`);
    case '25006':
      return failure('lost', `${where} is a standby: promote it, or write the primary’s address to DATABASE_URL.`);
    case '28P01':
      return failure('denied', `${where} refuses the password of ${user}: correct it in DATABASE_PASSWORD_FILE.`);
    case '28000':
      if (/^Peer authentication/.test(message))
        return failure(
          'denied',
          `${where} lets in the system user ${user} alone (peer in pg_hba.conf): run Lookout as that user, or map its user in pg_ident.conf.`,
        );
      return failure(
        'denied',
        `${where} does not let ${user} in: ${message}. Make the role, and allow it in pg_hba.conf.`,
      );
    case '3D000':
      return failure('denied', `${where} does not exist: make it with createdb --owner ${user} ${database}.`);
    case '42501':
      return failure('denied', `${where}: ${message}. Make ${user} the owner of the database.`);
    case '53100':
      return failure('full', `The disk of ${where} is full: make room on it.`);
    case '55P03':
    case '57014':
    case '40001':
    case '40P01':
      return failure('in-use', `${where} is being changed by another process: try again (${message}).`);
    case 'XX001':
    case 'XX002':
      return failure('damaged', `${where} is damaged: ${message}. Restore a backup.`);
    case '42P01': // undefined table, column; duplicate table, column
    case '42703':
    case '42P07':
    case '42701':
      return failure('other-schema', misfitText(where, message));
    default:
      return undefined;
  }
}
