import { closeSchema } from '#lib/api/watching/alarms.ts';
import { parseBody, pathSegment, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf, zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const POST = viewerRoute('watch', async (call) => {
  const { alarms, audit } = runtime();
  const body = await parseBody(call.request, closeSchema);
  const alarm = await alarms.finish(zoneCaller(call.viewer), pathSegment(call.request, 2), body);
  audit.record(actorOf(call), {
    kind: 'alarm_closed',
    zone: alarm.zone.name,
    alarm: alarm.id,
    as: body.as,
    ...(body.comment && { comment: body.comment }),
  });
  return Response.json(alarm);
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
