import 'server-only';
import { type Kysely, sql } from 'kysely';
import { DatabaseFailure } from './database-failure.ts';

const MIN_SERVER_VERSION = 15;

/** @throws DatabaseFailure if the server is too old, or stores text in another encoding */
export async function requireServer<Tables>(query: Kysely<Tables>, where: string): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`
    select current_setting('server_version_num')::int / 10000 as version, current_setting('server_encoding') as encoding
  `.execute(query);
  const { version, encoding } = rows[0]!;
  if (version < MIN_SERVER_VERSION)
    throw new DatabaseFailure(
      'denied',
      `${where} is version ${version}: version ${MIN_SERVER_VERSION} or newer is needed.`,
    );
  if (encoding !== 'UTF8')
    throw new DatabaseFailure(
      'denied',
      `${where} stores text as ${encoding}: make the database with createdb -E UTF8 -T template0.`,
    );
}
