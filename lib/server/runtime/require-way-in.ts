import 'server-only';
import type { Config } from '../settings/config.ts';

/**
 * Whether operators sign in. Only over the embedded service, on this machine alone, there may be none.
 * @param operators how many there are
 * @throws Error with the command that adds the first
 */
export function requireWayIn(
  { oidc, signInReason }: Pick<Config, 'oidc' | 'signInReason'>,
  operators: number,
): boolean {
  if (oidc !== undefined || operators > 0) return true;
  if (signInReason === undefined) return false;
  throw new Error(
    `No operator can sign in, and ${signInReason}. Add the first with the same DATA_DIR or DATABASE_URL: npm run operator -- add NAME --role admin; or set OIDC_ISSUER.`,
  );
}
