import { acknowledgeAllSchema } from '#lib/api/watching/alarms.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf, zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

/** The body has at most 500 alarms and a comment. */
const BODY_MAX_BYTES = 64 * 1024;

export const POST = viewerRoute('watch', async (call) => {
  const { alarms, audit } = runtime();
  const body = await parseBody(call.request, acknowledgeAllSchema, BODY_MAX_BYTES);
  const answered = await alarms.acknowledgeAll(zoneCaller(call.viewer), body);
  for (const { alarm } of answered)
    if (alarm)
      audit.record(actorOf(call), {
        kind: 'alarm_acknowledged',
        zone: alarm.zone.name,
        alarm: alarm.id,
        ...(body.comment && { comment: body.comment }),
      });
  return Response.json({
    answers: answered.map(({ id, refusal }) => ({
      id,
      refusal: refusal ? { code: refusal.code, message: refusal.message } : null,
    })),
  });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
