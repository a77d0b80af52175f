import 'server-only';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import { runtime } from '../runtime.ts';
import type { Answered } from '../zones/alarms/operator-answers.ts';
import { actorOf } from './viewer.ts';

/** A body with 500 alarms and a comment. */
export const SEVERAL_MAX_BYTES = 64 * 1024;

type AnswerEvent = Extract<AuditEvent, { readonly kind: 'alarm_acknowledged' | 'alarm_closed' }>;
type What = AnswerEvent extends infer Event
  ? Event extends AnswerEvent
    ? Omit<Event, 'zone' | 'alarm' | 'comment'>
    : never
  : never;

/** Logs an operator's answer to several alarms, for each that it was stored of, and says why it was not of the others. */
export function answeredAll(
  call: Parameters<typeof actorOf>[0],
  answered: readonly Answered[],
  what: What,
  comment: string,
): Response {
  for (const { alarm } of answered)
    if (alarm)
      runtime().audit.record(actorOf(call), {
        ...what,
        zone: alarm.zone.name,
        alarm: alarm.id,
        ...(comment && { comment }),
      });
  return Response.json({
    answers: answered.map(({ id, refusal }) => ({
      id,
      refusal: refusal ? { code: refusal.code, message: refusal.message } : null,
    })),
  });
}
