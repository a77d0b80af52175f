import 'server-only';
import { addMs, type LocalInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS } from '#lib/time/time-units.ts';
import type { Session } from './session.ts';

/** A session ends after this long without a request … */
export const SESSION_IDLE_MS = 12 * HOUR_MS;
/** … if the browser keeps it, after this long … */
export const SESSION_KEPT_IDLE_MS = 3 * DAY_MS;
/** … and after this long in any case. */
export const SESSION_ABSOLUTE_MS = 7 * DAY_MS;
/** One of single sign-on sooner: whom the provider does not let in any more is out within a day. */
export const SESSION_OIDC_ABSOLUTE_MS = DAY_MS;

/** When it ends, if it is not used again. */
function endOf({ origin, source, seenAt, signedInAt }: Session): LocalInstant {
  const idle = addMs(seenAt, origin.isKept ? SESSION_KEPT_IDLE_MS : SESSION_IDLE_MS);
  const absolute = addMs(signedInAt, source === 'oidc' ? SESSION_OIDC_ABSOLUTE_MS : SESSION_ABSOLUTE_MS);
  return idle < absolute ? idle : absolute;
}

/** Whether too long has passed since it was begun, or used. */
export function hasEnded(session: Session, now: LocalInstant): boolean {
  return now >= endOf(session);
}
