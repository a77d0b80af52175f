import 'server-only';
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import type { Database } from '../database/database.ts';
import type { Query } from '../database/tables.ts';

const NAME = 'incident_key';

/** Ed25519 (RFC 8032). */
export interface SigningKey {
  /** SPKI, PEM. */
  readonly publicPem: string;
  sign(bytes: Uint8Array): Uint8Array;
}

/**
 * The key that signs sealed incidents, made once, with the first use. It stays in the database: its file or
 * role is Lookout's alone. Rejects with a `DatabaseFailure` where the database fails.
 */
export async function signingKey(database: Database): Promise<SigningKey> {
  const find = (query: Query) => query.selectFrom('secret').select('value').where('name', '=', NAME).executeTakeFirst();
  const stored =
    (await find(database.query)) ??
    (await database.change(async (query) => {
      const value = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      const own = query.insertInto('secret').values({ name: NAME, value });
      await own.onConflict((conflict) => conflict.doNothing()).execute();
      return find(query);
    }));
  const privateKey = createPrivateKey(stored?.value ?? '');
  return {
    publicPem: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString(),
    sign: (bytes) => sign(null, bytes, privateKey),
  };
}
