import 'server-only';
import { randomBytes } from 'node:crypto';
import type { Database } from '../database/database.ts';

const SECRET_BYTES = 32;
const NAME = 'session';

/** The same at all servers. Rejects with a `DatabaseFailure`. */
export async function sessionSecret({ query }: Database): Promise<string> {
  const read = () => query.selectFrom('secret').select('value').where('name', '=', NAME).executeTakeFirst();
  // Without a write, which a full disk refuses.
  const known = await read();
  if (known) return known.value;
  const value = randomBytes(SECRET_BYTES).toString('base64url');
  await query
    .insertInto('secret')
    .values({ name: NAME, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await read())?.value ?? value;
}
