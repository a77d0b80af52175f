import { incidentAlarmsSchema } from '#lib/api/watching/incident-actions.ts';
import { parseBody, pathSegment, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf, zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

const BODY_MAX_BYTES = 64 * 1024;

export const POST = viewerRoute('watch', async (call) => {
  const { incidents, audit } = runtime();
  const { alarms, remark } = await parseBody(call.request, incidentAlarmsSchema, BODY_MAX_BYTES);
  const id = pathSegment(call.request, 2);
  await incidents.addAlarms(zoneCaller(call.viewer), id, alarms, remark);
  const { number } = await incidents.store.one(id);
  audit.record(actorOf(call), { kind: 'incident_joined', incident: id, number, alarms: alarms.length, tracks: 0 });
  return new Response(null, { status: 204 });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
