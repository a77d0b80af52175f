import { acknowledgeSchema } from '#lib/api/watching/alarms.ts';
import { parseBody, pathSegment, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { requireAlarmsOf } from '#lib/server/routes/token-bounds.ts';
import { actorOf, zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const POST = viewerRoute('acknowledge', async (call) => {
  const { alarms, audit } = runtime();
  const body = await parseBody(call.request, acknowledgeSchema);
  const id = pathSegment(call.request, 2);
  await requireAlarmsOf(call.viewer, [{ id }]);
  const alarm = await alarms.acknowledge(zoneCaller(call.viewer), id, body);
  audit.record(actorOf(call), {
    kind: 'alarm_acknowledged',
    zone: alarm.zone.name,
    alarm: alarm.id,
    ...(body.comment && { comment: body.comment }),
  });
  return Response.json(alarm);
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
