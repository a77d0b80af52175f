import 'server-only';
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { Database } from '../database/database.ts';

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
  const { privateKey } = generateKeyPairSync('ed25519');
  const value = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const stored = await database.change(async (query) => {
    await query
      .insertInto('secret')
      .values({ name: NAME, value })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return query.selectFrom('secret').select('value').where('name', '=', NAME).executeTakeFirstOrThrow();
  });
  return keyOf(createPrivateKey(stored.value));
}

function keyOf(privateKey: KeyObject): SigningKey {
  return {
    publicPem: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString(),
    sign: (bytes) => sign(null, bytes, privateKey),
  };
}
