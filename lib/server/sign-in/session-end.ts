import 'server-only';
import { addMs, type LocalInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS } from '#lib/time/time-units.ts';
import type { Session } from './session.ts';

export const SESSION_IDLE_MS = 12 * HOUR_MS;
/** If the browser keeps it. */
export const SESSION_KEPT_IDLE_MS = 3 * DAY_MS;
export const SESSION_ABSOLUTE_MS = 7 * DAY_MS;
/** Ends access within a day after the provider's refusal. */
export const SESSION_OIDC_ABSOLUTE_MS = DAY_MS;

function endOf({ origin, source, seenAt, signedInAt }: Session): LocalInstant {
  const idle = addMs(seenAt, origin.isKept ? SESSION_KEPT_IDLE_MS : SESSION_IDLE_MS);
  const absolute = addMs(signedInAt, source === 'oidc' ? SESSION_OIDC_ABSOLUTE_MS : SESSION_ABSOLUTE_MS);
  return idle < absolute ? idle : absolute;
}

export function hasEnded(session: Session, now: LocalInstant): boolean {
  return now >= endOf(session);
}
