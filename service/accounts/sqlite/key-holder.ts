import type { Scope } from '#lib/contract/operation.ts';
import { msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { KeyHolder } from '../access.ts';

/** Aliases: `k` is the key, `a` its account. */
export const KEY_HOLDER_COLUMNS =
  'k.id key_id, k.expires_at, k.revoked_at, a.id account_id, a.per_minute, a.per_day, a.grant_state, a.grant_scopes, a.grant_lookback_days, a.grant_until';

/** Instants are ms since 1970. */
export type KeyHolderRow = {
  readonly key_id: number;
  readonly expires_at: number;
  readonly revoked_at: number | null;
  readonly account_id: number;
  readonly per_minute: number;
  readonly per_day: number;
  readonly grant_state: string;
  readonly grant_scopes: string;
  readonly grant_lookback_days: number;
  readonly grant_until: number | null;
};

export function keyHolderOf(row: KeyHolderRow): KeyHolder {
  return {
    keyId: String(row.key_id),
    key: { expiresAt: upstreamInstant(row.expires_at), revokedAt: instantOrNull(row.revoked_at) },
    account: {
      id: String(row.account_id),
      grant: { active: row.grant_state === 'active', expiresAt: instantOrNull(row.grant_until) },
      scopes: scopesOf(row.grant_scopes),
      lookbackDays: row.grant_lookback_days,
      allowance: { perMinute: row.per_minute, perDay: row.per_day },
    },
  };
}

const knownScopes = new Map<string, ReadonlySet<Scope>>();

function scopesOf(list: string): ReadonlySet<Scope> {
  const known = knownScopes.get(list) ?? new Set(list.split(',').filter(Boolean) as Scope[]);
  knownScopes.set(list, known);
  return known;
}

function instantOrNull(ms: number | null): UpstreamInstant | null {
  return ms === null ? null : upstreamInstant(ms);
}

export function oncePerMinute(): (keyId: string, at: UpstreamInstant) => boolean {
  const notedAt = new Map<string, UpstreamInstant>();
  return (keyId, at) => {
    const noted = notedAt.get(keyId);
    if (noted !== undefined && Math.abs(msBetween(noted, at)) < MINUTE_MS) return false;
    notedAt.set(keyId, at);
    return true;
  };
}
