import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { PostgresFailure } from './postgres-failure.ts';
import type { PostgresTarget } from './postgres-target.ts';

const OTHERS = 0o077;
const FORM = /^((?:\\.|[^:\\])*):((?:\\.|[^:\\])*):((?:\\.|[^:\\])*):((?:\\.|[^:\\])*):(.*)$/;

/**
 * The password of the target, from the file that PGPASSFILE names or ~/.pgpass, in the form that PostgreSQL's own programs read. Undefined if
 * it has none. A change counts from the next connection on.
 * @param user whom the database asks
 * @throws PostgresFailure if others may read the file
 */
export function readPasswordFile(target: PostgresTarget, user: string | undefined): string | undefined {
  const file = process.env.PGPASSFILE || join(homedir(), '.pgpass');
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  if (mode === undefined) return undefined;
  if ((mode & OTHERS) !== 0) {
    throw new PostgresFailure(
      `${file} can be read by others, so its passwords are not used: chmod 600 ${file}.`,
      false,
    );
  }
  return passwordOf(readFileSync(file, 'utf8'), target, user);
}

/** The first line that fits: `HOST:PORT:DATABASE:USER:PASSWORD`, where * fits all and a backslash takes the meaning of : and \. */
export function passwordOf(text: string, target: PostgresTarget, user: string | undefined): string | undefined {
  // A Unix socket goes by its folder, or as localhost.
  const hosts = isAbsolute(target.host) ? [target.host, 'localhost'] : [target.host];
  for (const line of text.split(/\r?\n/)) {
    const fields = line.startsWith('#') ? null : FORM.exec(line);
    if (fields === null) continue;
    const [host, port, database, role, password] = fields.slice(1).map((field) => field.replace(/\\(.)/g, '$1'));
    const fits = (field: string | undefined, ...values: readonly (string | undefined)[]) =>
      field === '*' || values.includes(field);
    if (
      fits(host, ...hosts) &&
      fits(port, String(target.port)) &&
      fits(database, target.database) &&
      fits(role, user)
    ) {
      return password;
    }
  }
  return undefined;
}
