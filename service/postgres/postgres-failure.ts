import { type PostgresTarget, targetText } from './postgres-target.ts';

/** The database could not do what was asked; the message says what to do. Nothing was changed. */
export class PostgresFailure extends Error {
  /** The database cannot be reached, or ends the connection: it may be back later. */
  readonly isLost: boolean;
  /** Its disk is full. */
  readonly isFull: boolean;

  constructor(message: string, isLost: boolean, isFull = false) {
    super(message);
    this.isLost = isLost;
    this.isFull = isFull;
  }
}

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'EACCES',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
]);
/** What the driver says without a code. */
const ENDED = /timeout exceeded|connection timeout|Connection terminated|Query read timeout|not queryable/i;

/** An error of the driver or of the database as words for an administrator; any other error as it is. */
export function explainedFailure(error: unknown, target: PostgresTarget): unknown {
  if (!(error instanceof Error) || error instanceof PostgresFailure) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const message = error.message || code;
  const where = `PostgreSQL at ${targetText(target)}`;
  const user = target.user ?? 'this user';
  const refused = (text: string) => new PostgresFailure(text, false);

  if (UNREACHABLE.has(code) || ENDED.test(message) || /^(08...|57P0[1-5])$/.test(code)) {
    return new PostgresFailure(`${where} cannot be reached: ${message}. Start it, or correct --store.`, true);
  }
  if (code === '53300') {
    return new PostgresFailure(`${where} has no connection left: raise max_connections, or run fewer services.`, true);
  }
  if (/^(SASL|.*password must be a string)/.test(message)) {
    return refused(
      `${where} asks for a password: write HOST:PORT:DATABASE:USER:PASSWORD to ~/.pgpass, readable by its owner alone, or to a file that PGPASSFILE names.`,
    );
  }
  if (/^(CERT_|.*_CERT_|DEPTH_ZERO|UNABLE_TO_|ERR_TLS_|.*SELF_SIGNED)/.test(code)) {
    return refused(
      `${where} shows a certificate that is not trusted: ${message}. Write sslrootcert=FILE of its authority, and the name that it is made out to.`,
    );
  }
  if (/does not support SSL/.test(message)) {
    return refused(
      `${where} speaks no TLS: turn ssl on there, or write ?sslmode=disable in a network that is yours alone.`,
    );
  }
  switch (code) {
    case '28P01':
      return refused(
        `${where} refuses the password of ${user}: correct it in ~/.pgpass, or in the file that PGPASSFILE names.`,
      );
    case '28000':
      return refused(`${where} does not let ${user} in: ${message}. Make the role, and let it in by pg_hba.conf.`);
    case '3D000':
      return refused(`${where}: there is no such database. Make it with createdb --owner ${user} ${target.database}.`);
    case '42501':
      return refused(`${where}: ${message}. Make ${user} the owner of the database.`);
    case '25006':
      return refused(`${where} is a standby, which cannot be written: write the address of the primary.`);
    case '53100':
      return new PostgresFailure(`The disk of ${where} is full; nothing was changed.`, false, true);
    case '55P03':
    case '57014':
      return refused(`${where} is being changed by another process; nothing was changed. Try again.`);
    default:
      return error;
  }
}
