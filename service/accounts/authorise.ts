import type { Scope } from '#lib/contract/operation.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { Refusal } from '../http/refusal.ts';
import type { Account } from './account.ts';

/** @throws Refusal 403 if the grant is inactive or expired, or lacks the scope */
export function authorise(account: Account, scope: Scope, now: UpstreamInstant): void {
  if (!account.grant.active) throw new Refusal('grant_inactive', "The account's grant is not active.");
  const { expiresAt } = account.grant;
  if (expiresAt !== null && now >= expiresAt) throw new Refusal('grant_expired', "The account's grant has expired.");
  if (!account.scopes.has(scope)) {
    throw new Refusal('scope_not_approved', `The account is not approved for ${scope}.`);
  }
}

/** @throws Refusal 403 if the window starts before the approved lookback */
export function authoriseLookback(account: Account, window: Window, now: UpstreamInstant): void {
  if (window.start >= addMs(now, -account.lookbackDays * DAY_MS)) return;
  throw new Refusal(
    'outside_lookback',
    `The account may read history of the last ${account.lookbackDays} days only: use a later start.`,
  );
}
