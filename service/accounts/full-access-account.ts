import { KEY_MAX_LIFETIME_MS, LOOKBACK_MAX_DAYS } from '#lib/contract/limits.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { type Account, ALL_SCOPES, type Allowance } from './account.ts';
import { issueKey } from './issue-key.ts';

/** The account that a service without stored accounts has: every scope, the full lookback, one key made at start. */
export function fullAccessAccount(secret: string, allowance: Allowance, now: UpstreamInstant): Account {
  const grant = { active: true, expiresAt: addMs(now, KEY_MAX_LIFETIME_MS) };
  return {
    id: 'local',
    grant,
    scopes: new Set(ALL_SCOPES),
    lookbackDays: LOOKBACK_MAX_DAYS,
    allowance,
    keys: [issueKey({ name: 'local', secret, createdAt: now }, grant)],
  };
}
