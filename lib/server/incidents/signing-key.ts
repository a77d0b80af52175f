import 'server-only';
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { storedSecret } from '../sign-in/sessions.ts';

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
  const stored = await storedSecret(database, NAME, () =>
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  );
  const privateKey = createPrivateKey(stored);
  return {
    publicPem: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString(),
    sign: (bytes) => sign(null, bytes, privateKey),
  };
}
