import { createHash } from 'node:crypto';
import type { Postgres } from './postgres.ts';
import { PostgresFailure } from './postgres-failure.ts';

/**
 * Makes sure that all services over a database make references with the same secret. The database has its SHA-256 only: who reads the
 * database learns nothing about tracks from it.
 * @param file where the secret of this service is, for the message
 * @throws PostgresFailure
 */
export async function requireSameSecret({ query }: Postgres, secret: Uint8Array, file: string): Promise<void> {
  const digest = createHash('sha256').update(secret).digest();
  await query('update lookout.machine set reference_secret_digest = $1 where reference_secret_digest is null', [
    digest,
  ]);
  const [shared] = await query<{ digest: Uint8Array }>('select reference_secret_digest as digest from lookout.machine');
  if (shared !== undefined && digest.equals(shared.digest)) return;
  throw new PostgresFailure(
    `${file} is not the secret of the services that share this database, so that tracks would have other references here: copy reference-secret from the --data of one of them.`,
    false,
  );
}
