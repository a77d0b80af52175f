import { acknowledgeAllSchema } from '#lib/api/watching/alarms.ts';
import { answeredAll, SEVERAL_MAX_BYTES } from '#lib/server/routes/alarm-answers.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { requireAlarmsOf } from '#lib/server/routes/token-bounds.ts';
import { zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const POST = viewerRoute('acknowledge', async (call) => {
  const body = await parseBody(call.request, acknowledgeAllSchema, SEVERAL_MAX_BYTES);
  await requireAlarmsOf(call.viewer, body.alarms);
  const answered = await runtime().alarms.acknowledgeAll(zoneCaller(call.viewer), body);
  return answeredAll(call, answered, { kind: 'alarm_acknowledged' }, body.comment);
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
