import 'server-only';
import { dirname } from 'node:path';
import { commandText } from '#lib/commands/command-text.ts';
import type { Config } from '../settings/config.ts';

/** @throws Error with the command that adds the first operator */
export function requireWayIn(
  { oidc, signInReason, database }: Pick<Config, 'oidc' | 'signInReason' | 'database'>,
  operators: number,
): boolean {
  if (oidc !== undefined || operators > 0) return true;
  if (signInReason === undefined) return false;
  const addsFirst = commandText('operator', 'add NAME --role admin');
  const command =
    database.dialect === 'sqlite'
      ? `: DATA_DIR=${dirname(database.file)} ${addsFirst}`
      : ` with the same DATABASE_URL: ${addsFirst}`;
  throw new Error(`No operator can sign in, and ${signInReason}. Add the first${command}; or set OIDC_ISSUER.`);
}
