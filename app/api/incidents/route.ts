import { ZONE_BODY_MAX_BYTES } from '#lib/api/error-code.ts';
import { newIncidentSchema } from '#lib/api/watching/incidents.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf, zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = viewerRoute('view', async () =>
  Response.json({ incidents: await runtime().incidents.store.list() }),
);

export const POST = viewerRoute('watch', async (call) => {
  const { incidents, audit } = runtime();
  const body = await parseBody(call.request, newIncidentSchema, ZONE_BODY_MAX_BYTES);
  const incident = await incidents.open(zoneCaller(call.viewer), body);
  audit.record(actorOf(call), { kind: 'incident_opened', incident: incident.id, number: incident.number });
  return Response.json({ incident }, { status: 201 });
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as PUT };
