import 'server-only';
import type { SessionRow } from '#lib/api/people/account.ts';
import { epochMs, type LocalInstant } from '#lib/time/instant.ts';
import type { Session } from '../session/session-registry.ts';

/** @param current the key of the session that asks */
export function sessionRows(sessions: readonly Session[], current: string | undefined): SessionRow[] {
  return sessions.map(({ key, source, origin, signedInAt, seenAt }) => ({
    id: key,
    by: source,
    browser: origin.browser,
    address: origin.address,
    signed_in_at: instantText(signedInAt),
    seen_at: instantText(seenAt),
    kept: origin.isKept,
    current: key === current,
  }));
}

export function instantText(at: LocalInstant): string {
  return new Date(epochMs(at)).toISOString();
}
