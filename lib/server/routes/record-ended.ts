import 'server-only';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Actor } from '../audit/audit-row.ts';
import type { Session } from '../sign-in/session.ts';
import { labelOf } from '../sign-in/session.ts';

type How = Extract<AuditEvent, { kind: 'session_ended' }>['how'];

export function recordEnded(audit: AuditLog, actor: Actor, sessions: readonly Session[], how: How): void {
  for (const { key, operatorId } of sessions)
    audit.record(actor, { kind: 'session_ended', person: operatorId, session: labelOf(key), how });
}
