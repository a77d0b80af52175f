import 'server-only';
import { dirname } from 'node:path';
import type { Config } from '../settings/config.ts';

const ADDS_FIRST = 'npm run operator -- add NAME --role admin';

/** @throws Error with the command that adds the first operator */
export function requireWayIn(
  { oidc, signInReason, database }: Pick<Config, 'oidc' | 'signInReason' | 'database'>,
  operators: number,
): boolean {
  if (oidc !== undefined || operators > 0) return true;
  if (signInReason === undefined) return false;
  const command =
    database.dialect === 'sqlite'
      ? `: DATA_DIR=${dirname(database.file)} ${ADDS_FIRST}`
      : ` with the same DATABASE_URL: ${ADDS_FIRST}`;
  throw new Error(`No operator can sign in, and ${signInReason}. Add the first${command}; or set OIDC_ISSUER.`);
}
