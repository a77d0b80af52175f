import 'server-only';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import type { Session } from '../session/session.ts';
import { labelOf } from '../session/session.ts';
import type { AuditLog } from './audit-log.ts';
import type { Actor } from './audit-row.ts';

type How = Extract<AuditEvent, { kind: 'session_ended' }>['how'];

export function recordEnded(audit: AuditLog, actor: Actor, sessions: readonly Session[], how: How): void {
  for (const { key, operatorId } of sessions)
    audit.record(actor, { kind: 'session_ended', person: operatorId, session: labelOf(key), how });
}
